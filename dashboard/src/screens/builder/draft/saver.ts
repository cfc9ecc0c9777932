/**
 * Saves a draft while it is edited: a second after the last edit, every five at the latest, one
 * request at a time, each only over the state that was seen. What others changed meanwhile is merged
 * field by field. Every edit is in the journal before it is sent.
 */
import { changesBetween } from '@cogworks/graph/edit/changes';
import { asOf, type Conflict, merge, withTheirs } from '@cogworks/graph/edit/merge';
import { wordsOf } from '@cogworks/graph/edit/words';
import type { Graph } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import type { Editor } from '../editor.ts';
import { isEnd, isTemporary, NoDraft, statusOf } from './failures.ts';
import type { Base, Journal, Kept } from './journal.ts';
import { isSame, mergeKept } from './kept-edits.ts';

/** What the service has. */
export type Remote = Base & { state: string };

/** Who else changed something, and what, in words. */
export type News = { by: number | undefined; words: string[]; isMerged: boolean };

export type SaveStatus =
  | 'saved'
  | 'waiting'
  | 'saving'
  /** It will be tried again. */
  | 'unreachable'
  /** There is something to choose first. */
  | 'conflict'
  /** For the given problem. */
  | 'refused';

export type SaverState = {
  status: SaveStatus;
  savedAt: Date | undefined;
  problem: unknown;
  conflicts: readonly Conflict[];
  /** Whose values those of the conflicts are. */
  conflictBy: number | undefined;
  news: News | undefined;
  /** Whether this browser keeps what is not saved. */
  isKept: boolean;
};

type Setup = {
  editor: Editor;
  base: Base;
  journal: Journal;
  save: (graph: Graph, etag: string) => Promise<{ etag: string }>;
  read: () => Promise<Remote>;
  onSaved?: (etag: string) => void;
};

export const rest_ms = 1000;
export const longest_ms = 5000;
const minute_ms = 60_000;
const mostPerMinute = 12;
const pauses_ms = [2000, 5000, 10_000, 20_000, 30_000];

export class DraftSaver {
  #state: SaverState = {
    status: 'saved',
    savedAt: undefined,
    problem: undefined,
    conflicts: [],
    conflictBy: undefined,
    news: undefined,
    isKept: true,
  };
  readonly #setup: Setup;
  readonly #listeners = new Set<() => void>();
  #base: Base;
  /** The graph whose difference from the base is in the journal. */
  #kept: Graph;
  /** What was sent over the base; the service may have it without its answer having come. */
  #sent: Graph[] = [];
  #isReplacing = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #firstUnsaved: number | undefined;
  #isBusy = false;
  #running = Promise.resolve();
  #saves: number[] = [];
  #failures = 0;
  #retryAt = 0;
  #isFinal = false;
  /** There is no draft to save to any more; edits are still kept in the journal. */
  #isOver = false;
  /** The latest state that an event told of, and whose it is. */
  #told: { etag: string; by: number | undefined } | undefined;
  readonly #leave: () => void;

  constructor(setup: Setup) {
    this.#setup = setup;
    this.#base = setup.base;
    this.#kept = setup.editor.getState().graph;
    this.#leave = setup.editor.subscribe(() => this.#onEdit());
  }

  getState = (): SaverState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  close(): void {
    clearTimeout(this.#timer);
    this.#isFinal = true;
    this.#leave();
  }

  /** What is not saved yet, if there is anything. */
  get isDirty(): boolean {
    return changesBetween(this.#base.graph, this.#graph()).length > 0;
  }

  /** Whether there is something that neither the service nor this browser has. */
  get isAtRisk(): boolean {
    return !this.#state.isKept && this.isDirty;
  }

  get etag(): string {
    return this.#base.etag;
  }

  /** An event says that the draft has this state now. @returns whether that is to be read. */
  told(etag: string, by: number | undefined): boolean {
    if (etag === this.#base.etag) return false;
    this.#told = { etag, by };
    // It may be what is being saved; the answer will say so.
    return !this.#isBusy;
  }

  /** Reads what others did, and merges it. */
  async pull(): Promise<void> {
    if (this.#isBusy || this.#isFinal) return;
    await this.#alone(() => this.#pull());
  }

  /** Tries again at once, for example when the connection is back. */
  retry(): void {
    this.#retryAt = 0;
    this.#hope();
    this.#schedule(0);
  }

  forgetNews(): void {
    this.#set({ news: undefined });
  }

  /** Saves now, and waits until that is done. @returns whether all is saved. */
  async flush(): Promise<boolean> {
    for (let tries = 0; tries < 3 && !this.#isFinal; tries++) {
      await this.#running;
      if (!this.isDirty) return true;
      if (this.#state.conflicts.length > 0) return false;
      await this.#alone(() => this.#save());
      if (this.#state.status === 'unreachable' || this.#state.status === 'refused') return false;
    }
    return !this.isDirty;
  }

  /** Takes over what an earlier visit has not saved. */
  adopt({ graph, etag, steps }: Kept): void {
    const { editor, journal } = this.#setup;
    const { past, future } = editor.getState();
    const {
      graph: merged,
      conflicts,
      past: kept,
    } = mergeKept({ graph, etag, steps }, { graph: this.#graph(), etag: this.#base.etag });
    this.#replace(() => editor.restore(merged, [...past, ...kept], future));
    if (conflicts.length > 0) {
      // Until there is a choice the journal has what the choice is about.
      void this.#keep(journal.replace({ graph, etag }, steps));
      this.#set({ conflicts, conflictBy: this.#told?.by, status: 'conflict' });
    } else {
      void this.#keep(journal.replace(this.#base, this.#remaining()));
      this.#schedule();
    }
  }

  /** Ends conflicts; each value that was not chosen stays in the history. */
  settle(choices: ReadonlyMap<string, 'mine' | 'theirs'>): void {
    const { editor } = this.#setup;
    const { conflicts } = this.#state;
    this.#replace(() => {
      for (const conflict of conflicts) {
        const isTheirs = choices.get(conflict.id) === 'theirs';
        const words = this.wordsOf(conflict);
        if (isTheirs) {
          editor.edit(words.theirs, (graph) => withTheirs(graph, conflict));
        } else {
          // Mine is what is here by now, with all that was edited since.
          const now = this.#graph();
          editor.replaceBase(withTheirs(now, conflict));
          editor.edit(words.mine, () => now);
        }
      }
    });
    const status = this.#isOver ? 'refused' : 'waiting';
    this.#set({ conflicts: [], conflictBy: undefined, news: undefined, status });
    void this.#keep(this.#setup.journal.replace(this.#base, this.#remaining()));
    this.#schedule(0);
  }

  /** Both sides of a conflict in words. */
  wordsOf({ mine, theirs }: Conflict): { mine: string; theirs: string } {
    const { graph, definitions } = this.#setup.editor.getState();
    const between = { before: this.#base.graph, after: graph, definitions };
    const words = (changes: Conflict['mine']) => wordsOf(changes, between).join(', ');
    return { mine: words(mine), theirs: words(theirs) };
  }

  /** The draft is somebody else's business now: what is here is elsewhere, or given up. */
  async abandon(): Promise<void> {
    this.close();
    await this.#setup.journal.replace(this.#base, []).catch(() => {});
  }

  #graph = (): Graph => this.#setup.editor.getState().graph;

  #set(changes: Partial<SaverState>): void {
    this.#state = { ...this.#state, ...changes };
    for (const listener of this.#listeners) listener();
  }

  /** Changes the graph without an entry in the journal. */
  #replace(change: () => void): void {
    this.#isReplacing = true;
    change();
    this.#isReplacing = false;
    this.#kept = this.#graph();
  }

  #onEdit(): void {
    const { graph, past } = this.#setup.editor.getState();
    if (graph === this.#kept || this.#isReplacing || this.#isFinal) return;
    const changes = changesBetween(this.#kept, graph);
    this.#kept = graph;
    const words = past.at(-1)?.words ?? t`Edited`;
    void this.#keep(this.#setup.journal.append(this.#base, { words, changes }));
    const { conflicts } = this.#state;
    if (conflicts.length > 0) this.#set({ conflicts: conflicts.map((one) => asOf(graph, one)) });
    this.#hope();
    this.#schedule();
  }

  /** What is wrong with a graph may be mended by the next edit. */
  #hope(): void {
    if (this.#state.status === 'refused' && !this.#isOver) {
      this.#set({ status: 'waiting', problem: undefined });
    }
  }

  async #keep(written: Promise<void>): Promise<void> {
    const isKept = await written.then(
      () => true,
      () => false,
    );
    if (isKept !== this.#state.isKept) this.#set({ isKept });
  }

  /** What the service lacks, as steps for the journal. */
  #remaining() {
    const changes = changesBetween(this.#base.graph, this.#graph());
    const words = this.#setup.editor.getState().past.at(-1)?.words ?? t`Edited`;
    return changes.length === 0 ? [] : [{ words, changes }];
  }

  #schedule(rest = rest_ms): void {
    clearTimeout(this.#timer);
    if (this.#isFinal || this.#isBusy || this.#state.conflicts.length > 0) return;
    if (this.#state.status === 'refused') return;
    if (!this.isDirty) {
      this.#firstUnsaved = undefined;
      if (this.#state.status !== 'saved') this.#set({ status: 'saved', problem: undefined });
      void this.#keep(this.#setup.journal.replace(this.#base, []));
      return;
    }
    const now = Date.now();
    this.#firstUnsaved ??= now;
    const wanted = Math.min(now + rest, this.#firstUnsaved + longest_ms);
    const at = Math.max(wanted, this.#earliest(now), this.#retryAt);
    if (this.#state.status !== 'unreachable') this.#set({ status: 'waiting' });
    this.#timer = setTimeout(() => void this.#alone(() => this.#save()), Math.max(0, at - now));
  }

  /** When the next save of this minute may be. */
  #earliest(now: number): number {
    this.#saves = this.#saves.filter((at) => at > now - minute_ms);
    const [oldest] = this.#saves;
    return oldest === undefined || this.#saves.length < mostPerMinute ? 0 : oldest + minute_ms;
  }

  /** One request at a time; whatever was asked for meanwhile comes after it. */
  #alone(action: () => Promise<void>): Promise<void> {
    if (this.#isBusy || this.#isFinal || this.#isOver) return this.#running;
    clearTimeout(this.#timer);
    this.#isBusy = true;
    this.#running = this.#run(action);
    return this.#running;
  }

  async #run(action: () => Promise<void>): Promise<void> {
    try {
      await action();
      if (this.#told && this.#told.etag !== this.#base.etag) await this.#pull();
    } catch (error) {
      this.#onFailure(error);
    } finally {
      this.#isBusy = false;
    }
    this.#schedule();
  }

  async #save(): Promise<void> {
    const { save, journal, onSaved } = this.#setup;
    if (!this.isDirty) return;
    const graph = this.#graph();
    this.#firstUnsaved = undefined;
    this.#saves.push(Date.now());
    this.#set({ status: 'saving' });
    if (!this.#sent.includes(graph)) this.#sent.push(graph);
    try {
      const { etag } = await save(graph, this.#base.etag);
      this.#base = { graph, etag };
      this.#sent = [];
      this.#onSuccess();
      onSaved?.(etag);
      await this.#keep(journal.replace(this.#base, this.#remaining()));
    } catch (error) {
      if (statusOf(error) !== 412) throw error;
      await this.#pull();
    }
  }

  #onSuccess(): void {
    this.#failures = 0;
    this.#retryAt = 0;
    if (this.#told?.etag === this.#base.etag) this.#told = undefined;
    this.#set({ status: 'saved', savedAt: new Date(), problem: undefined });
  }

  async #pull(): Promise<void> {
    const { editor, journal, read } = this.#setup;
    const remote = await read();
    const by = this.#told?.etag === remote.etag ? this.#told.by : undefined;
    this.#told = undefined;
    this.#failures = 0;
    this.#retryAt = 0;
    if (remote.etag === this.#base.etag) return;
    const before = this.#sent.find((one) => isSame(one, remote.graph)) ?? this.#base.graph;
    const isMerged = this.isDirty;
    const merged = merge(before, this.#graph(), remote.graph);
    this.#replace(() => editor.replaceBase(merged.graph));
    this.#base = { graph: remote.graph, etag: remote.etag };
    this.#sent = [];
    this.#tellNews(by, before, remote.graph, isMerged);
    const replaced = new Set(merged.conflicts.map(({ id }) => id));
    const open = this.#state.conflicts.filter(({ id }) => !replaced.has(id));
    const conflicts = [...open, ...merged.conflicts];
    if (conflicts.length > 0) {
      // The journal keeps the state before, so that a reload leads to the same choice.
      this.#set({ conflicts, conflictBy: by, status: 'conflict' });
    } else {
      await this.#keep(journal.replace(this.#base, this.#remaining()));
    }
    if (remote.state !== 'draft') throw new NoDraft(remote.state);
  }

  #tellNews(by: number | undefined, before: Graph, after: Graph, isMerged: boolean): void {
    const { definitions } = this.#setup.editor.getState();
    const changes = changesBetween(before, after);
    const words = wordsOf(changes, { before, after, definitions });
    if (words.length > 0) this.#set({ news: { by, words, isMerged } });
  }

  #onFailure(problem: unknown): void {
    if (isTemporary(problem)) {
      const pause = pauses_ms[Math.min(this.#failures, pauses_ms.length - 1)] ?? 0;
      this.#failures += 1;
      this.#retryAt = Date.now() + pause;
      this.#set({ status: 'unreachable', problem });
      return;
    }
    this.#set({ status: 'refused', problem });
    this.#isOver = isEnd(problem);
  }
}
