/** A file as a client sends it: what is said of it, and its bytes while they come. */
import type { Readable } from 'node:stream';

export type IncomingFile = {
  /** As the client wrote it; nothing is cut off, so it may be a path. */
  name: string;
  /** Lower case, without parameters. What the client left out reads `text/plain`. */
  declared_type: string;
  /** Of the whole form, as announced; 0 where it is not. */
  expected_bytes: number;
  bytes: Readable;
};
