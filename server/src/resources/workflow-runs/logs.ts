/** What containers of node runs wrote, sent in portions: a log may take ten megabytes. */
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Db } from '../../db/connection.ts';
import { gone, notFound } from '../../errors.ts';
import type { ByteRange } from '../../storage/storage.ts';
import {
  findLogPieces,
  findLogSize,
  findNewestAttempt,
  hasNodeRun,
  type RunHead,
} from './queries.ts';

/** As an answer sends it. */
type Log = {
  size_bytes: number;
  /** Of the same bytes it is the same. */
  etag: string;
  copyTo(range: ByteRange | undefined, begin: () => Writable): Promise<void>;
};

/** Pieces that are read at once. */
const atOnce = 16;

/**
 * The stdout and stderr of a node run's newest attempt, as far as it is written by now: `limit` bytes
 * from byte `offset` on.
 *
 * @throws DomainError 410 `logs_removed` if retention removed it.
 */
export async function openLog(
  db: Db,
  run: RunHead,
  nodeRunId: number,
  { offset = 0, limit }: { offset?: number; limit?: number },
): Promise<Log> {
  const { tenant_id } = run;
  if (!(await hasNodeRun(db, tenant_id, run.id, nodeRunId))) throw notFound('Node run');
  const attempt = await findNewestAttempt(db, tenant_id, nodeRunId);
  if (attempt?.logs_removed_at !== undefined) {
    const day = attempt.logs_removed_at.slice(0, 10);
    throw gone(`This log was removed on ${day}. Logs are kept for a limited time.`, 'logs_removed');
  }
  const length = attempt ? await findLogSize(db, tenant_id, attempt.id) : 0;
  const size_bytes = Math.min(Math.max(0, length - offset), limit ?? length);
  return {
    size_bytes,
    // What is written never changes, so bytes of one attempt are told by their place.
    etag: `${nodeRunId}-${attempt?.id ?? 0}-${offset}-${size_bytes}`,
    copyTo: async (range = { start: 0, end: size_bytes - 1 }, begin) => {
      const { start, end } = range;
      const wanted = { start: offset + start, end: offset + end };
      if (attempt) await copyPieces(db, { tenant_id, id: attempt.id }, wanted, begin);
      else begin();
    },
  };
}

type Attempt = { tenant_id: number; id: number };

async function copyPieces(
  db: Db,
  attempt: Attempt,
  range: ByteRange,
  begin: () => Writable,
): Promise<void> {
  const parts = partsOf(db, attempt, range);
  // Read before `begin`, so that a failure still has an answer.
  const first = await parts.next();
  const all = async function* () {
    if (first.done) return;
    yield first.value;
    yield* parts;
  };
  await pipeline(all, begin(), { end: false });
}

async function* partsOf(db: Db, attempt: Attempt, { start, end }: ByteRange) {
  for (let at = start; at <= end; ) {
    const pieces = await findLogPieces(db, attempt, { start: at, end }, atOnce);
    if (pieces.length === 0) throw new Error(`The log of attempt ${attempt.id} was removed.`);
    for (const { start_offset, bytes } of pieces) {
      const part = bytes.subarray(at - start_offset, end + 1 - start_offset);
      at += part.length;
      yield part;
    }
  }
}
