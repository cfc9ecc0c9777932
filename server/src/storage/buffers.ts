/**
 * The size of the buffers of copies: large for a few at once, which are then as fast as the disk, and
 * small for more. A hundred copies so take 45 MB instead of 200.
 */

const few = 16;
const largeBytes = 1024 * 1024;
const smallBytes = 64 * 1024;

export type Buffers = {
  /** @param copy gets the size of each of its two buffers. */
  use<T>(copy: (chunkBytes: number) => Promise<T>): Promise<T>;
};

export function copyBuffers(): Buffers {
  let underWay = 0;
  return {
    use: async (copy) => {
      underWay += 1;
      try {
        return await copy(underWay > few ? smallBytes : largeBytes);
      } finally {
        underWay -= 1;
      }
    },
  };
}
