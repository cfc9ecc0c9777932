/** A log that is being read: its bytes go to a thread of their own as they come. */
import type { Client } from '@cogworks/sdk/client';
import { wait } from '@cogworks/sdk/wait';
import type { LogLine, LogState } from './log-lines.ts';
import type { Request } from './log-worker.ts';

/** More than a worker keeps of a log (10 MiB); against one that never ends. */
const most_bytes = 256 * 1024 * 1024;
/** Between reads of a log that grows. */
const pause_ms = 400;

const empty: LogState = { bytes: 0, lines: 0, longest: 0, firstError: undefined };

export class LogClient {
  state: LogState = empty;
  error: unknown = null;
  /** Whether all that there was has been read. */
  isRead = false;
  readonly #client: Client;
  readonly #path: { run_id: number; node_run_id: number };
  readonly #thread = new Worker(new URL('./log-worker.ts', import.meta.url), { type: 'module' });
  readonly #waiting = new Map<number, (result: unknown) => void>();
  readonly #listeners = new Set<() => void>();
  readonly #gone = new AbortController();
  #id = 0;
  #isReading = false;
  #isAsked = false;

  constructor(client: Client, path: { run_id: number; node_run_id: number }) {
    this.#client = client;
    this.#path = path;
    this.#thread.addEventListener('message', ({ data }) => {
      this.#waiting.get(data.id)?.(data.result);
      this.#waiting.delete(data.id);
    });
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  close(): void {
    this.#gone.abort();
    this.#thread.terminate();
  }

  lines = (from: number, to: number) => this.#ask<LogLine[]>({ kind: 'lines', from, to });
  some = (numbers: Uint32Array) => this.#ask<LogLine[]>({ kind: 'some', numbers });
  find = (query: string) => this.#ask<Uint32Array>({ kind: 'find', query });
  text = (numbers: Uint32Array | undefined) => this.#ask<string>({ kind: 'text', numbers });
  blob = () => this.#ask<Blob>({ kind: 'blob' });

  /** Reads what was added since. Called during a read, it reads once more afterwards. */
  read(): void {
    this.#isAsked = true;
    if (this.#isReading) return;
    this.#isReading = true;
    this.#readAll()
      .catch((error: unknown) => {
        if (this.#gone.signal.aborted) return;
        this.error = error;
        this.#tell();
      })
      .finally(() => {
        this.#isReading = false;
      });
  }

  async #readAll(): Promise<void> {
    const { signal } = this.#gone;
    while (this.#isAsked && this.state.bytes < most_bytes) {
      this.#isAsked = false;
      const query = { offset: this.state.bytes };
      const answer = await this.#client.getNodeRunLog({ path: this.#path, query, signal });
      const reader = answer.body?.getReader();
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
        this.#set(await this.#ask<LogState>({ kind: 'append', piece: part.value }, part.value));
        if (this.state.bytes >= most_bytes) await reader?.cancel();
      }
      this.error = null;
      this.isRead = true;
      this.#tell();
      await wait(pause_ms, signal);
    }
  }

  #set(state: LogState): void {
    this.state = state;
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }

  #ask<Result>(request: Request, given?: Uint8Array): Promise<Result> {
    const id = this.#id++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve as (result: unknown) => void);
      // Its bytes are handed over, not copied.
      this.#thread.postMessage({ id, request }, given ? [given.buffer as ArrayBuffer] : []);
    });
  }
}
