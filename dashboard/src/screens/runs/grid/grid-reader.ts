/**
 * Reads what a grid shows and has not read yet: what is in view first, then the rest of all but very
 * large runs. One request at a time, so that what comes into view meanwhile goes before the rest.
 */
import type { Client } from '@cogworks/sdk/client';
import { wait } from '@cogworks/sdk/wait';
import { GridRows } from './grid-rows.ts';

/** The service's limit of a page. */
const pageSize = 1000;
/** Rows that are read though nobody has seen them, for the strip and for what failed. */
const mostUnseen = 20_000;
/** After news that only reading tells. */
const pause_ms = 300;
const pauseAfterFailure_ms = 3000;

export class GridReader {
  readonly rows = new GridRows();
  error: unknown = null;
  isReading = false;
  /** Whether all rows are wanted, because something is looked for in them. */
  #wantsAll = false;
  #seen: readonly number[] = [];
  #needed: readonly number[] = [];
  #firstFailed = false;
  readonly #client: Client;
  readonly #runId: number;
  readonly #listeners = new Set<() => void>();
  #frame = 0;
  #gone: AbortController | undefined;

  constructor(client: Client, runId: number) {
    this.#client = client;
    this.#runId = runId;
  }

  /** Until the returned function is called. */
  open(): () => void {
    const gone = new AbortController();
    this.#gone = gone;
    this.#go();
    return () => gone.abort();
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Draws at most once a frame, however many events come. */
  tell(): void {
    if (this.#frame !== 0) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      for (const listener of this.#listeners) listener();
    });
  }

  /** These are in view now. */
  see(ids: readonly number[]): void {
    this.#seen = ids;
    if (!this.isReading && this.rows.firstMissing(ids) !== undefined) this.#go();
  }

  /** These are needed, in view or not. */
  need(ids: readonly number[]): void {
    this.#needed = ids;
    if (!this.isReading && this.rows.firstMissing(ids) !== undefined) this.#go();
  }

  wantAll(wantsAll: boolean): void {
    this.#wantsAll = wantsAll;
    if (wantsAll) this.#go();
  }

  /** What was read may be old: it is read again, soon. */
  readAgain(): void {
    this.#firstFailed = false;
    this.tell();
    this.#go(pause_ms);
  }

  get isComplete(): boolean {
    return this.rows.hasHead && this.rows.countRead >= this.rows.total;
  }

  #go(after_ms = 0): void {
    const signal = this.#gone?.signal;
    if (this.isReading || !signal || signal.aborted) return;
    this.isReading = true;
    this.#readAll(signal, after_ms)
      .catch(() => {})
      .finally(() => {
        this.isReading = false;
        this.tell();
      });
  }

  async #readAll(signal: AbortSignal, after_ms: number): Promise<void> {
    await wait(after_ms, signal);
    while (!signal.aborted) {
      const next = this.#next();
      if (!next) return;
      const done = this.rows.begin();
      try {
        const path = { run_id: this.#runId };
        const grid = await this.#client.getRunGrid({ path, query: next, signal });
        if ('status' in next) this.#firstFailed = true;
        done(grid);
        this.error = null;
        // What is not given will not be given again, unless it became old meanwhile.
        if (!this.rows.isHeadOld && !('status' in next) && grid.rows.length === 0) return;
      } catch (error) {
        done(undefined);
        if (signal.aborted) return;
        this.error = error;
        this.tell();
        await wait(pauseAfterFailure_ms, signal);
      }
      this.tell();
    }
  }

  #next() {
    const { rows } = this;
    if (!rows.hasHead) return { offset: 0, limit: pageSize };
    const missing = rows.firstMissing(this.#seen) ?? rows.firstMissing(this.#needed);
    if (missing !== undefined) return this.#pageAt(missing);
    // Of a run without rows it is all there is.
    if (rows.isHeadOld) return { offset: 0, limit: pageSize };
    // More than are read unseen: those that failed are read apart, to be shown first.
    if (!this.#firstFailed && rows.total > mostUnseen)
      return { status: 'failure' as const, limit: pageSize };
    if (rows.total > mostUnseen && !this.#wantsAll) return undefined;
    const rest = rows.firstMissing(rows.ids());
    return rest === undefined ? undefined : this.#pageAt(rest);
  }

  #pageAt(id: number) {
    return { offset: this.rows.numberOf(id), limit: pageSize };
  }
}
