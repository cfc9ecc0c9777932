/**
 * A child process that makes previews, seen from the server. What it reads may be made to harm it:
 * it gets no environment and no credentials, few files, bounded memory and processor time, and is
 * killed when it takes too long.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { join, sep } from 'node:path';
import type { Duplex, Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { DomainError } from '../errors.ts';
import type { PreviewLimits } from '../limits.ts';
import { headOf, readFrames } from './frames.ts';
import { type Kind, mostPreviewBytes } from './kinds.ts';

export type Task = {
  kind: Kind;
  size: number;
  /** Of the source. */
  size_bytes: number;
  /** Copies the source to the stream from `begin`. */
  copyTo(begin: () => Writable): Promise<void>;
};

/** A preview; why there is none of these bytes; or that none can be made on this machine. */
export type Outcome = { preview: Buffer } | { reason: string } | { off: string };

export type Maker = {
  isAlive(): boolean;
  /** One at a time. @throws the error of `copyTo`; DomainError 503 if the process does not start. */
  make(task: Task): Promise<Outcome>;
  /** Resolves when the process has ended. */
  kill(): Promise<void>;
};

/** The larger one of the two. */
const largestSize = 1024;
/** Node maps this much before it does anything. */
const base_kb = 640 * 1024;
/** For all previews of one process, if nobody is left to kill it. */
const mostSeconds = 600;

/** The shell sets bounds that the process cannot lift: memory, core dumps, written files, time. */
const bounded = (memory_mb: number) =>
  `ulimit -d ${base_kb + memory_mb * 1024}; ulimit -c 0; ulimit -f 0; ulimit -t ${mostSeconds}; ${endedWithServer} exec "$0" "$@" 3<&-`;

/**
 * A second shell reads from a pipe that only the server holds. A line says that the process has
 * ended; the end of the pipe without one, that the server has: then it kills the process, which may
 * be in native code and notice nothing.
 */
const endedWithServer = '(read -r _ <&3 || kill -9 $$) </dev/null >/dev/null 2>&1 &';
const hasEnded = '.\n';

const program = join(import.meta.dirname, 'child.ts');

/** Where the libraries and the program are; nothing else may be read by JavaScript. */
function readable(): string[] {
  const libraries = fileURLToPath(import.meta.resolve('fastify'));
  const modules = libraries.slice(0, libraries.lastIndexOf(`${sep}node_modules${sep}`));
  return [
    join(modules, 'node_modules', sep),
    join(import.meta.dirname, sep),
    join(import.meta.dirname, '../../package.json'),
  ];
}

/** @returns one that makes nothing, if the process cannot be started. */
export function startMaker(limits: PreviewLimits): Maker {
  try {
    const child = start(limits);
    return child ? speakTo(child, limits) : neverStarted();
  } catch (error) {
    return neverStarted(error);
  }
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** @returns undefined if there are too few file descriptors for its pipes. */
function start({ memory_mb }: PreviewLimits): Child | undefined {
  const child = spawn(
    '/bin/sh',
    [
      ...['-c', bounded(memory_mb), process.execPath],
      ...['--permission', '--allow-addons', ...readable().map((path) => `--allow-fs-read=${path}`)],
      ...['--max-old-space-size=128', '--no-warnings', program],
    ],
    // A group of its own: Ctrl-C reaches the server alone, which ends it.
    { detached: true, stdio: ['pipe', 'pipe', 'ignore', 'pipe'], env: { VIPS_CONCURRENCY: '1' } },
  ) as Child;
  // Told later, also where there are no pipes.
  child.on('error', () => {});
  return child.stdio ? child : undefined;
}

const neverStarted = (cause?: unknown): Maker => ({
  isAlive: () => false,
  kill: async () => {},
  make: async () => {
    throw notStarted(cause);
  },
});

function speakTo(child: Child, { time_ms, in_all_ms }: PreviewLimits): Maker {
  // Held by the server alone, whatever happens to it.
  const watch = child.stdio[3] as unknown as Duplex;
  watch.on('error', () => {}).resume();
  let isAlive = true;
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      isAlive = false;
      resolve();
    };
    child.once('exit', () => {
      end();
      watch.end(hasEnded);
    });
    // It could not be started.
    child.once('error', end);
  });
  child.stdin.on('error', () => {});
  const next = readFrames(child.stdout, mostPreviewBytes(largestSize));
  const started = next().catch(() => undefined);

  async function kill() {
    isAlive = false;
    child.kill('SIGKILL');
    await ended;
  }

  async function make({ kind, size, size_bytes, copyTo }: Task): Promise<Outcome> {
    const first = await started;
    if (!first) throw notStarted();
    if ('off' in first.head) return { off: String(first.head.off) };
    try {
      await copyTo(() => {
        child.stdin.write(headOf({ kind, size }, size_bytes));
        return child.stdin;
      });
    } catch (error) {
      if (isAlive && !child.stdin.destroyed) throw error;
      return { reason: 'too_costly' };
    }
    const timer = setTimeout(() => void kill(), time_ms);
    const frame = await next()
      .catch(() => undefined)
      .finally(() => clearTimeout(timer));
    // It was killed, or has run out of memory.
    if (!frame) return { reason: 'too_costly' };
    // It knows the bound: whatever answers now is something else.
    if (frame.body.length > mostPreviewBytes(size)) await kill();
    if (!isAlive) return { reason: 'too_costly' };
    const { reason } = frame.head;
    return typeof reason === 'string' ? { reason } : { preview: frame.body };
  }

  return {
    isAlive: () => isAlive,
    kill,
    make: async (task) => {
      const timer = setTimeout(() => void kill(), in_all_ms);
      let isWhole = false;
      try {
        const outcome = await make(task);
        isWhole = !('off' in outcome) && isAlive;
        return outcome;
      } finally {
        clearTimeout(timer);
        // What it was sent may be cut off: the next bytes would be taken for the rest.
        if (!isWhole) await kill();
      }
    },
  };
}

const notStarted = (cause?: unknown) =>
  new DomainError('unavailable', 'No preview can be made now. Try again in 30 s.', {
    retry_after_seconds: 30,
    cause,
  });
