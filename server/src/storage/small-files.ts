/**
 * Small files, written and synced in batches by a dedicated thread. On the main thread each file
 * system call waits for a pool thread, which was a third of the time of a small upload.
 */
import { Worker } from 'node:worker_threads';
import { Batches, type Outcome } from '../batches.ts';

export type SmallFile = {
  /** It must not exist yet; missing folders are created. */
  path: string;
  /** In a buffer of their own. */
  bytes: Uint8Array<ArrayBuffer>;
  /** Synced as well, so that the name is durable. */
  folder: string | undefined;
};

/** The thread's answer: the error of each failed file. */
export type Fault = { code: string | undefined; message: string };
export type Faults = (Fault | undefined)[];

/** Maximum files per batch: those behind wait for its syncs. */
const mostTogether = 64;

const threadModule = new URL('./small-files-thread.ts', import.meta.url);

/**
 * The first file starts the thread; if it ends, the next one starts it again.
 *
 * @returns a function that writes a file, durably when it resolves. If it throws, a partial file
 *   may exist, unless the error's code is `EEXIST`. It takes over the memory of `bytes`.
 */
export function openSmallFiles(module = threadModule): (file: SmallFile) => Promise<void> {
  let thread: Worker | undefined;

  function start(): Worker {
    const started = new Worker(module, {
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
      // The thread does not need our environment, which holds keys.
      env: {},
    });
    // `exit` follows it.
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
