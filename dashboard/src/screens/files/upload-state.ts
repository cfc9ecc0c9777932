/**
 * The state of the tab's uploads. Changes are collected and shown a few times a second: a hundred
 * small files report more progress than a page can draw.
 */
import { useSyncExternalStore } from 'react';
import { addSample, type Pace, paceOf, type Sample } from './upload-pace.ts';
import { isActive, type Queue, summarise, type UploadItem } from './upload-queue.ts';

/** Files whose names are taken, for the user to decide. */
export type Question<Decision> = {
  paths: readonly string[];
  answer: (decision: Decision) => void;
};

const pause_ms = 200;

export class UploadState<Decision> {
  readonly items = new Map<number, UploadItem>();
  #shown: { queue: Queue; pace: Pace | undefined; question: Question<Decision> | undefined } = {
    ...{ queue: [], pace: undefined, question: undefined },
  };
  #questions: Question<Decision>[] = [];
  #samples: Sample[] = [];
  #sent_bytes = 0;
  #lastId = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #watchers = new Set<() => void>();

  use = () => useSyncExternalStore(this.#watch, () => this.#shown);

  add(item: Omit<UploadItem, 'id'>): UploadItem {
    const added = { ...item, id: ++this.#lastId };
    this.items.set(added.id, added);
    this.#show();
    return added;
  }

  change(id: number, changes: Partial<UploadItem>): void {
    const item = this.items.get(id);
    if (!item) return;
    this.items.set(id, { ...item, ...changes });
    this.#show();
  }

  /** Bytes that were stored before do not count for the speed. */
  progress(id: number, sent_bytes: number): void {
    const item = this.items.get(id);
    if (!item || !isActive(item)) return;
    if (item.status === 'sending') this.#sent_bytes += sent_bytes - item.sent_bytes;
    this.change(id, { status: 'sending', sent_bytes });
  }

  forget(ids: Iterable<number>): void {
    for (const id of ids) this.items.delete(id);
    this.#showNow();
  }

  ask(paths: readonly string[]): Promise<Decision> {
    return new Promise((resolve) => {
      const question: Question<Decision> = {
        paths,
        answer: (decision) => {
          this.#questions = this.#questions.filter((one) => one !== question);
          this.#showNow();
          resolve(decision);
        },
      };
      this.#questions.push(question);
      this.#showNow();
    });
  }

  #show() {
    this.#timer ??= setTimeout(
      () => this.#showNow(),
      this.#shown.queue.length === 0 ? 0 : pause_ms,
    );
  }

  #showNow() {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const queue = [...this.items.values()];
    const { active, left_bytes } = summarise(queue);
    const sample = { time_ms: performance.now(), sent_bytes: this.#sent_bytes };
    this.#samples = active > 0 ? addSample(this.#samples, sample) : [];
    const [question] = this.#questions;
    this.#shown = { queue, pace: paceOf(this.#samples, left_bytes), question };
    for (const watcher of this.#watchers) watcher();
    // The speed falls also while nothing is reported.
    if (active > 0) this.#show();
  }

  #watch = (watcher: () => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };
}
