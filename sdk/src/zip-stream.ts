/**
 * Reads a ZIP of the service while it comes. Its members are stored without compression, each after
 * a header with its size, so nothing has to be there as a whole.
 */

export type ZipMember = { name: string; bytes: Uint8Array<ArrayBuffer> };

const header_bytes = 30;
const isMember = 0x0403_4b50;
const isDirectory = 0x0201_4b50;
const isEnd = 0x0605_4b50;

/**
 * The files in it, in their order.
 *
 * @param most_bytes of one member, which is held in memory.
 * @throws TypeError if it breaks off, or is not such a ZIP.
 */
export async function* zipMembers(
  chunks: AsyncIterable<Uint8Array>,
  most_bytes: number,
): AsyncGenerator<ZipMember> {
  const take = takerOf(chunks);
  try {
    for (;;) {
      const kind = new DataView((await take(4)).buffer).getUint32(0, true);
      if (kind === isDirectory || kind === isEnd) return;
      if (kind !== isMember) throw new TypeError('This is not a ZIP of files one after the other.');
      const header = new DataView((await take(header_bytes - 4)).buffer);
      // Without its signature, so each field is four bytes earlier than in the format's description.
      const [flags, method] = [header.getUint16(2, true), header.getUint16(4, true)];
      const size = header.getUint32(14, true);
      const [nameBytes, extraBytes] = [header.getUint16(22, true), header.getUint16(24, true)];
      if ((flags & 0b1001) !== 0 || method !== 0 || size > most_bytes) {
        throw new TypeError('A member of this ZIP cannot be read while it comes.');
      }
      const name = new TextDecoder().decode(await take(nameBytes));
      await take(extraBytes);
      const bytes = await take(size);
      if (!name.endsWith('/')) yield { name, bytes };
    }
  } finally {
    await take.end();
  }
}

type Take = ((count: number) => Promise<Uint8Array<ArrayBuffer>>) & { end(): Promise<void> };

/** @returns a function that takes the next bytes, exactly as many as it is asked for. */
function takerOf(chunks: AsyncIterable<Uint8Array>): Take {
  const source = chunks[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);
  const take = async (count: number) => {
    const taken = new Uint8Array(count);
    let filled = 0;
    while (filled < count) {
      if (rest.length === 0) {
        const { value, done } = await source.next();
        if (done) throw new TypeError('The ZIP broke off.');
        rest = value;
      }
      const some = rest.subarray(0, count - filled);
      taken.set(some, filled);
      filled += some.length;
      rest = rest.subarray(some.length);
    }
    return taken;
  };
  return Object.assign(take, { end: async () => void (await source.return?.()) });
}
