/**
 * Small files, written and synced by a thread of their own, together those that come at the same
 * time. On this thread each call to the file system waits for another thread: of a small upload
 * that was a third of the time.
 */
import { Worker } from 'node:worker_threads';
import { Batches, type Outcome } from '../batches.ts';

export type SmallFile = {
  /** Where nothing is yet; missing folders are made. */
  path: string;
  /** In memory of their own. */
  bytes: Uint8Array<ArrayBuffer>;
  /** To be synced as well, so that the name lasts. */
  folder: string | undefined;
};

/** What the thread answers: of each file what failed, if anything did. */
export type Fault = { code: string | undefined; message: string };
export type Faults = (Fault | undefined)[];

/** As many in one batch: those behind wait for its syncs. */
const mostTogether = 64;

const threadModule = new URL('./small-files-thread.ts', import.meta.url);

/**
 * The thread is started by the first file, and anew should it end.
 *
 * @returns writes a file, durably when it resolves. When it throws, half of the file may be there,
 *   unless the error's code is `EEXIST`. The memory of `bytes` is given away.
 */
export function openSmallFiles(module = threadModule): (file: SmallFile) => Promise<void> {
  let thread: Worker | undefined;

  function start(): Worker {
    const started = new Worker(module, {
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
      // Nothing there needs our environment, which holds keys.
      env: {},
    });
    // The exit comes after it.
    started.on('error', () => {});
    started.on('exit', () => {
      if (thread === started) thread = undefined;
    });
    return started;
  }

  async function send(files: readonly SmallFile[]): Promise<Faults> {
    thread ??= start();
    const worker = thread;
    worker.postMessage(
      files,
      files.map(({ bytes }) => bytes.buffer),
    );
    worker.ref();
    const { promise, resolve, reject } = Promise.withResolvers<Faults>();
    const onExit = () => reject(new Error('The thread that writes files has ended.'));
    worker.once('message', resolve).once('exit', onExit);
    try {
      return await promise;
    } finally {
      worker.off('message', resolve).off('exit', onExit).unref();
    }
  }

  const work = async (_: string, files: readonly SmallFile[]) => {
    const faults = await send(files);
    return files.map((__, at): Outcome<void> => {
      const fault = faults[at];
      return fault ? { error: errorOf(fault) } : { result: undefined };
    });
  };
  const batches = new Batches(work, mostTogether, 'after this moment');
  return (file) => batches.add('', file);
}

const errorOf = ({ code, message }: Fault) => Object.assign(new Error(message), { code });
