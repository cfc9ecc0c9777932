/**
 * The files and folders of a ZIP, in a few bytes each: there may be a million. First they are added in
 * any order, each after its folder; `arrange` then sorts them by path and determines where each is.
 */
import { createHash } from 'node:crypto';
import { setImmediate as turn } from 'node:timers/promises';
import { centralBytes, type Directory, endBytes, localBytes, type Member } from './format.ts';
import { freeNames, memberName } from './names.ts';

export type NewMember = {
  /** The index of its folder; undefined at the top. */
  folder: number | undefined;
  name: string;
  /** Seconds since 1970. */
  modified: number;
  /** Absent for a folder. */
  file?: { object_id: number; size_bytes: number; crc32: number | undefined };
};

/** In place of an object: a folder, and the member whose text is in memory. */
const [noObject, inMemory] = [0, -1];
const atTop = -1;
const unknownCrc = -1;

/** Other requests get a turn after so many steps. */
const stepsAtOnce = 8192;

const columnsFor = (rows: number) => ({
  folder: new Int32Array(rows),
  /** Where the name ends in the buffer of all names. */
  nameEnd: new Uint32Array(rows),
  size: new Float64Array(rows),
  crc: new Float64Array(rows),
  modified: new Float64Array(rows),
  object: new Float64Array(rows),
});

export class Members {
  #count = 0;
  #columns = columnsFor(256);
  #names = Buffer.allocUnsafe(4096);
  #text: Buffer = Buffer.alloc(0);

  get count(): number {
    return this.#count;
  }

  /** @returns its index. */
  add({ folder = atTop, name, modified, file }: NewMember): number {
    const at = this.#count;
    if (at === this.#columns.folder.length) this.#grow();
    const columns = this.#columns;
    const nameStart = at === 0 ? 0 : (columns.nameEnd[at - 1] as number);
    const shown = memberName(name);
    while (this.#names.length < nameStart + Buffer.byteLength(shown)) {
      this.#names = Buffer.concat([this.#names], this.#names.length * 2);
    }
    columns.folder[at] = folder;
    columns.nameEnd[at] = nameStart + this.#names.write(shown, nameStart);
    columns.modified[at] = modified;
    columns.size[at] = file?.size_bytes ?? 0;
    columns.crc[at] = file ? (file.crc32 ?? unknownCrc) : 0;
    columns.object[at] = file?.object_id ?? noObject;
    this.#count += 1;
    return at;
  }

  /** Adds a file at the top whose text is given. */
  addText(name: string, text: Buffer, crc32: number): void {
    const file = { object_id: inMemory, size_bytes: text.length, crc32 };
    this.add({ folder: undefined, name, modified: 0, file });
    this.#text = text;
  }

  #grow() {
    const larger = columnsFor(this.#columns.folder.length * 2);
    for (const name of Object.keys(larger) as (keyof typeof larger)[]) {
      larger[name].set(this.#columns[name]);
    }
    this.#columns = larger;
  }

  /** The objects whose CRC-32 is not known. */
  withoutCrc32(): { id: number; size_bytes: number }[] {
    const { crc, object, size } = this.#columns;
    const found = [];
    for (let at = 0; at < this.#count; at += 1) {
      if (crc[at] !== unknownCrc) continue;
      found.push({ id: object[at] as number, size_bytes: size[at] as number });
    }
    return found;
  }

  setCrc32s(crcs: ReadonlyMap<number, number>): void {
    const { crc, object } = this.#columns;
    for (let at = 0; at < this.#count; at += 1) {
      if (crc[at] === unknownCrc) crc[at] = crcs.get(object[at] as number) ?? unknownCrc;
    }
  }

  /** @param numbered a name with a number, for one that is taken. */
  async arrange(numbered: (name: string, number: number) => string): Promise<Layout> {
    const count = this.#count;
    const { folder, nameEnd, object, size, modified } = this.#columns;
    const breathe = breathing();
    const nameStart = (at: number) => (at === 0 ? 0 : (nameEnd[at - 1] as number));
    const storedName = (at: number) => this.#names.toString('utf8', nameStart(at), nameEnd[at]);

    // The members of each folder, and first those at the top, as slices of one array.
    const ends = new Uint32Array(count + 2);
    for (let at = 0; at < count; at += 1) (ends[(folder[at] as number) + 2] as number) += 1;
    for (let at = 1; at < ends.length; at += 1) (ends[at] as number) += ends[at - 1] as number;
    const inside = new Uint32Array(count);
    const filled = ends.slice(0, count + 1);
    for (let at = 0; at < count; at += 1) {
      const slice = (folder[at] as number) + 1;
      inside[filled[slice] as number] = at;
      (filled[slice] as number) += 1;
    }
    const slice = (at: number) => [ends[at + 1] as number, ends[at + 2] as number] as const;

    const byName = (a: number, b: number) =>
      this.#names.compare(this.#names, nameStart(b), nameEnd[b], nameStart(a), nameEnd[a]);
    const renamed = new Map<number, string>();
    const nameInside = async (at: number) => {
      const [start, end] = slice(at);
      // Usually they were added in this order. Sorting a million takes seconds without a pause.
      const isSorted = (place: number) =>
        byName(inside[place - 1] as number, inside[place] as number) <= 0;
      for (let place = start + 1; place < end; place += 1) {
        if (isSorted(place)) continue;
        inside.subarray(start, end).sort(byName);
        break;
      }
      const free = freeNames(numbered);
      for (let place = start; place < end; place += 1) {
        const member = inside[place] as number;
        const name = storedName(member);
        const given = free(name);
        if (given !== name) renamed.set(member, given);
        if (breathe.isDue()) await breathe.now();
      }
    };

    const nameOf = (at: number) => renamed.get(at) ?? storedName(at);
    const pathBytes = new Uint16Array(count);
    const order = new Uint32Array(count);
    const hash = createHash('sha256').update('zip 1\n');
    let facts = '';
    let ordered = 0;
    // Depth first, so that a folder is followed by what is in it.
    const open = [slice(atTop)].map(([start, end]) => ({ place: start, end, bytes: 0 }));
    await nameInside(atTop);
    for (let folderNow = open.at(-1); folderNow; folderNow = open.at(-1)) {
      if (folderNow.place === folderNow.end) {
        open.pop();
        continue;
      }
      const at = inside[folderNow.place] as number;
      folderNow.place += 1;
      const name = nameOf(at);
      const isFolder = object[at] === noObject;
      const bytes = folderNow.bytes + Buffer.byteLength(name) + (isFolder ? 1 : 0);
      pathBytes[at] = bytes;
      order[ordered] = at;
      ordered += 1;
      facts += `${open.length} ${object[at]} ${size[at]} ${modified[at]} ${name}\n`;
      if (isFolder) {
        await nameInside(at);
        const [start, end] = slice(at);
        open.push({ place: start, end, bytes });
      }
      if (!breathe.isDue()) continue;
      hash.update(facts);
      facts = '';
      await breathe.now();
    }
    const etag = hash.update(facts).update(this.#text).digest('hex');
    return this.#layout(order, pathBytes, nameOf, etag);
  }

  #layout(
    order: Uint32Array,
    pathBytes: Uint16Array,
    nameOf: (at: number) => string,
    etag: string,
  ): Layout {
    const { folder, object, size, crc, modified } = this.#columns;
    const count = order.length;
    const offsets = new Float64Array(count);
    let offset = 0;
    let centralSize = 0;
    for (const [place, at] of order.entries()) {
      offsets[place] = offset;
      const [bytes, size_bytes] = [pathBytes[at] as number, size[at] as number];
      centralSize += centralBytes(bytes, size_bytes, offset);
      offset += localBytes(bytes, size_bytes) + size_bytes;
    }
    const directory = { count, size_bytes: centralSize, offset };

    // Neighbours share their folder, and so its path.
    let known: { folder: number; path: string } = { folder: atTop, path: '' };
    const pathOf = (at: number): string => {
      if (at === atTop) return '';
      const above = folder[at] as number;
      if (above !== known.folder) known = { folder: above, path: pathOf(above) };
      return known.path + nameOf(at) + (object[at] === noObject ? '/' : '');
    };
    const text = this.#text;
    return {
      etag,
      directory,
      size_bytes: offset + centralSize + endBytes(directory),
      offset: (place) => offsets[place] ?? offset,
      centralBytes: (place) => {
        const at = order[place] as number;
        const bytes = pathBytes[at] as number;
        return centralBytes(bytes, size[at] as number, offsets[place] as number);
      },
      member: (place) => {
        const at = order[place] as number;
        return {
          path: Buffer.from(pathOf(at)),
          is_folder: object[at] === noObject,
          size_bytes: size[at] as number,
          crc32: crc[at] as number,
          modified: modified[at] as number,
        };
      },
      bytesOf: (place) => {
        const object_id = object[order[place] as number] as number;
        return object_id === inMemory ? { text } : { object_id };
      },
      sizeOf: (place) => size[order[place] as number] as number,
    };
  }
}

/** Where everything in a ZIP is. A place is a member's index in the order of paths. */
export type Layout = {
  /** Hexadecimal; equal only for equal bytes. */
  etag: string;
  /** Of the whole ZIP. */
  size_bytes: number;
  directory: Directory;
  /** Of a member's local header; behind the last one, of the directory. */
  offset(place: number): number;
  /** The length of its entry in the directory. */
  centralBytes(place: number): number;
  member(place: number): Member;
  /** What its bytes are; nothing for a folder, which has none. */
  bytesOf(place: number): { object_id: number } | { text: Buffer };
  sizeOf(place: number): number;
};

function breathing() {
  let steps = 0;
  return {
    isDue: () => {
      steps += 1;
      return steps % stepsAtOnce === 0;
    },
    now: () => turn(),
  };
}
