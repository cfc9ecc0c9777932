/** A file sent by a client: its metadata, and its bytes as a stream. */
import type { Readable } from 'node:stream';

export type IncomingFile = {
  /** As sent by the client, unchanged, so it may be a path. */
  name: string;
  /** Lower case, without parameters. `text/plain` if the client sent none. */
  declared_type: string;
  /** Announced size, which the bytes may differ from; 0 if unknown. */
  expected_bytes: number;
  bytes: Readable;
};
