/**
 * The records of a ZIP file (PKWARE's APPNOTE.TXT 6.3): members stored without compression, names in
 * UTF-8, and ZIP64 fields only where a value does not fit the old ones. The length of each record
 * follows from the length of the path, the size and the offset, so that a layout can be computed
 * without writing it.
 */

export type Member = {
  /** Ends with `/` for a folder. */
  path: Buffer;
  is_folder: boolean;
  size_bytes: number;
  crc32: number;
  /** Seconds since 1970. */
  modified: number;
};

/** Values from here on are in a ZIP64 field, and this is in the old one. */
const full32 = 0xffff_ffff;
const full16 = 0xffff;

/** Bit 11: the name is UTF-8. */
const flags = 0x0800;
/** Of the extra field with the time in seconds; the old field has two seconds and no time zone. */
const timeBytes = 9;

export const localBytes = (pathBytes: number, size_bytes: number): number =>
  30 + pathBytes + timeBytes + (size_bytes >= full32 ? 20 : 0);

/** The header before a member's bytes. */
export function localHeader({ path, is_folder, size_bytes, crc32, modified }: Member): Buffer {
  const isLarge = size_bytes >= full32;
  const record = new RecordWriter(localBytes(path.length, size_bytes));
  record.u32(0x0403_4b50).u16(versionFor(isLarge, is_folder)).u16(flags).u16(0);
  record.dosTime(modified).u32(crc32).size(size_bytes).size(size_bytes);
  record
    .u16(path.length)
    .u16(timeBytes + (isLarge ? 20 : 0))
    .bytes(path);
  record.time(modified);
  if (isLarge) record.u16(0x0001).u16(16).u64(size_bytes).u64(size_bytes);
  return record.buffer;
}

const zip64Bytes = (size_bytes: number, offset: number) =>
  (size_bytes >= full32 ? 16 : 0) + (offset >= full32 ? 8 : 0);

export function centralBytes(pathBytes: number, size_bytes: number, offset: number): number {
  const large = zip64Bytes(size_bytes, offset);
  return 46 + pathBytes + timeBytes + (large > 0 ? 4 + large : 0);
}

/** The member's entry in the directory at the end. @param offset that of its local header. */
export function centralHeader(member: Member, offset: number): Buffer {
  const { path, is_folder, size_bytes, crc32, modified } = member;
  const large = zip64Bytes(size_bytes, offset);
  const version = versionFor(large > 0, is_folder);
  const record = new RecordWriter(centralBytes(path.length, size_bytes, offset));
  // Made on Unix: only then are the upper bits of the attributes a file mode.
  record
    .u32(0x0201_4b50)
    .u16((3 << 8) | version)
    .u16(version)
    .u16(flags)
    .u16(0);
  record.dosTime(modified).u32(crc32).size(size_bytes).size(size_bytes);
  record
    .u16(path.length)
    .u16(timeBytes + (large > 0 ? 4 + large : 0))
    .u16(0);
  record
    .u16(0)
    .u16(0)
    .u32(is_folder ? ((0o40755 << 16) | 0x10) >>> 0 : (0o100644 << 16) >>> 0);
  record.size(offset).bytes(path).time(modified);
  if (large > 0) {
    record.u16(0x0001).u16(large);
    if (size_bytes >= full32) record.u64(size_bytes).u64(size_bytes);
    if (offset >= full32) record.u64(offset);
  }
  return record.buffer;
}

/** Where the directory is, and how many members it has. */
export type Directory = { count: number; size_bytes: number; offset: number };

const isLarge = ({ count, size_bytes, offset }: Directory) =>
  count >= full16 || size_bytes >= full32 || offset >= full32;

export const endBytes = (directory: Directory): number => (isLarge(directory) ? 98 : 22);

/** The records after the directory. */
export function endRecords(directory: Directory): Buffer {
  const { count, size_bytes, offset } = directory;
  const record = new RecordWriter(endBytes(directory));
  if (isLarge(directory)) {
    record
      .u32(0x0606_4b50)
      .u64(44)
      .u16((3 << 8) | 45)
      .u16(45)
      .u32(0)
      .u32(0);
    record.u64(count).u64(count).u64(size_bytes).u64(offset);
    record
      .u32(0x0706_4b50)
      .u32(0)
      .u64(offset + size_bytes)
      .u32(1);
  }
  record.u32(0x0605_4b50).u16(0).u16(0);
  record.u16(Math.min(count, full16)).u16(Math.min(count, full16));
  record.size(size_bytes).size(offset).u16(0);
  return record.buffer;
}

/** The version of the format that a reader must know. */
const versionFor = (isZip64: boolean, isFolder: boolean) => (isZip64 ? 45 : isFolder ? 20 : 10);

/** Writes little-endian fields one after another. */
class RecordWriter {
  readonly buffer: Buffer;
  #at = 0;

  constructor(bytes: number) {
    this.buffer = Buffer.allocUnsafe(bytes);
  }

  u16(value: number) {
    this.#at = this.buffer.writeUInt16LE(value, this.#at);
    return this;
  }

  u32(value: number) {
    this.#at = this.buffer.writeUInt32LE(value, this.#at);
    return this;
  }

  u64(value: number) {
    return this.u32(value % 2 ** 32).u32(Math.floor(value / 2 ** 32));
  }

  /** A size or offset, or the sign that it is in the ZIP64 field. */
  size(value: number) {
    return this.u32(Math.min(value, full32));
  }

  bytes(bytes: Buffer) {
    this.#at += bytes.copy(this.buffer, this.#at);
    return this;
  }

  /** In UTC; readers take it for their own zone, unless they know the field with the seconds. */
  dosTime(seconds: number) {
    const date = new Date(seconds * 1000);
    const year = Math.min(Math.max(date.getUTCFullYear(), 1980), 2107);
    this.u16(
      (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
    );
    return this.u16(((year - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate());
  }

  /** Info-ZIP's extended timestamp: the time of modification, in a signed 32-bit field. */
  time(seconds: number) {
    this.u16(0x5455).u16(5);
    this.#at = this.buffer.writeUInt8(1, this.#at);
    return this.u32(Math.min(Math.max(seconds, 0), 0x7fff_ffff));
  }
}
