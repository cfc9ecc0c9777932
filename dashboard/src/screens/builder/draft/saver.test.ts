import { setNodeField, setParam } from '@cogworks/graph/edit/edits';
import { graph, node } from '@cogworks/graph/examples';
import type { Graph } from '@cogworks/graph/types';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEditor } from '../editor.ts';
import type { Base, KeptStep } from './journal.ts';
import { mergeKept } from './kept-edits.ts';
import { DraftSaver } from './saver.ts';

const start = graph([node('a', 1), node('b', 1)], ['files > a.in']);

class Refusal extends Error {
  readonly status: number;
  constructor(status: number) {
    super('Refused.');
    this.status = status;
  }
}

/** A service with one draft, and a browser that keeps what is not saved. */
function stage(first: Graph = start, revision = 1) {
  const editor = createEditor({ graph: first, definitions: new Map(), isReadOnly: false });
  const service = {
    graph: first,
    revision,
    state: 'draft',
    away: false,
    answer_ms: 0,
    isPrivate: false,
  };
  let isLost = false;
  const etag = () => `"${service.revision}"`;
  const requests: { graph: Graph; at: number }[] = [];
  const journal = { base: undefined as Base | undefined, steps: [] as KeptStep[] };
  const saver = new DraftSaver({
    editor,
    base: { graph: first, etag: etag() },
    journal: {
      append: async (base, step) => {
        if (service.isPrivate) throw new Error('There is no storage.');
        journal.base ??= base;
        journal.steps.push(step);
      },
      replace: async (base, steps) => {
        journal.base = steps.length > 0 ? base : undefined;
        journal.steps = [...steps];
      },
    },
    save: async (given, ifMatch) => {
      requests.push({ graph: given, at: Date.now() });
      if (service.answer_ms > 0) await new Promise((done) => setTimeout(done, service.answer_ms));
      if (service.away) throw new TypeError('Failed to fetch');
      if (ifMatch !== etag()) throw new Refusal(412);
      service.graph = given;
      service.revision += 1;
      if (isLost) {
        isLost = false;
        throw new TypeError('Failed to fetch');
      }
      return { etag: etag() };
    },
    read: async () => {
      if (service.away) throw new TypeError('Failed to fetch');
      return { graph: service.graph, etag: etag(), state: service.state };
    },
  });
  const title = (key: string, value: string) =>
    editor.edit(`Title of ${key}`, (one) => setNodeField(one, key, 'title', value));
  /** Somebody else's change. */
  const elsewhere = (change: (one: Graph) => Graph) => {
    service.graph = change(service.graph);
    service.revision += 1;
    return etag();
  };
  /** The next save is made, but nobody hears of it. */
  const loseAnswer = () => {
    isLost = true;
  };
  const titles = (one: Graph) => one.nodes.map((it) => it.title);
  return { editor, saver, service, requests, journal, title, elsewhere, titles, loseAnswer };
}

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

beforeEach(() => {
  vi.useFakeTimers({ now: 0 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a draft', () => {
  it('is saved a second after the last edit, and every five while there are more', async () => {
    const { requests, title, saver } = stage();
    for (let count = 0; count < 14; count++) {
      title('a', `${count}`);
      await pass(500);
    }
    expect(requests.map(({ at }) => at)).toEqual([5000]);
    expect(saver.getState().status).toBe('waiting');
    await pass(1000);
    expect(requests.map(({ at }) => at)).toEqual([5000, 7500]);
    expect(saver.getState().status).toBe('saved');
  });

  it('is not sent while nothing is changed, nor if all was taken back', async () => {
    const { requests, title, editor, saver, journal } = stage();
    await pass(600_000);
    title('a', 'x');
    editor.undo();
    await pass(60_000);
    expect(requests).toEqual([]);
    expect(saver.getState().status).toBe('saved');
    expect(journal.steps).toEqual([]);
  });

  it('is saved by two requests if five edits come while the first is answered', async () => {
    const { requests, title, service, titles } = stage();
    service.answer_ms = 3000;
    title('a', 'first');
    await pass(1000);
    for (const word of ['1', '2', '3', '4', '5']) {
      title('b', word);
      await pass(100);
    }
    await pass(10_000);
    expect(requests.length).toBe(2);
    expect(titles(service.graph)).toEqual(['first', '5']);
  });

  it('is sent twelve times a minute at most', async () => {
    const { requests, title } = stage();
    for (let second = 0; second < 120; second += 2) {
      title('a', `${second}`);
      await pass(2000);
    }
    for (const { at } of requests) {
      const before = requests.filter((one) => one.at > at - 60_000 && one.at <= at);
      expect(before.length).toBeLessThanOrEqual(12);
    }
    expect(requests.length).toBeGreaterThan(15);
  });

  it('has each edit in the journal before it is sent, and none once it is saved', async () => {
    const { journal, title } = stage();
    title('a', 'x');
    title('b', 'y');
    expect(journal.steps.map(({ words }) => words)).toEqual(['Renamed a to x', 'Renamed b to y']);
    await pass(1000);
    expect(journal.steps).toEqual([]);
  });

  it('keeps edits while the service is away, says so, and saves them when it is back', async () => {
    const { saver, service, title, journal, titles } = stage();
    service.away = true;
    for (let count = 1; count <= 20; count++) {
      title('a', `${count}`);
      await pass(3000);
      expect(saver.getState().status).not.toBe('saved');
    }
    expect(saver.getState().status).toBe('unreachable');
    expect(journal.steps.length).toBe(20);
    service.away = false;
    saver.retry();
    await pass(0);
    expect(saver.getState().status).toBe('saved');
    expect(titles(service.graph)).toEqual(['20', undefined]);
  });

  it('knows what a browser without storage would lose with the tab', async () => {
    const { saver, service, title } = stage();
    service.isPrivate = true;
    expect(saver.isAtRisk).toBe(false);
    title('a', 'x');
    await pass(0);
    expect(saver.isAtRisk).toBe(true);
    await pass(1000);
    expect(saver.getState().status).toBe('saved');
    expect(saver.isAtRisk).toBe(false);
  });

  it('goes on from what an earlier visit kept', async () => {
    const first = stage();
    first.service.away = true;
    first.title('a', 'kept');
    await pass(2000);
    const { base, steps } = first.journal;
    const second = stage();
    second.saver.adopt({ ...(base as Base), steps, tab: 'gone', at: 0 });
    expect(second.titles(second.editor.getState().graph)).toEqual(['kept', undefined]);
    await pass(1000);
    expect(second.titles(second.service.graph)).toEqual(['kept', undefined]);
    second.editor.undo();
    expect(second.titles(second.editor.getState().graph)).toEqual([undefined, undefined]);
  });
});

describe('a draft that two people edit', () => {
  it('has the changes of both, and a line that says whose are new', async () => {
    const { saver, service, title, elsewhere, titles } = stage();
    title('a', 'mine');
    saver.told(
      elsewhere((one) => setNodeField(one, 'b', 'title', 'theirs')),
      7,
    );
    await pass(2500);
    expect(titles(service.graph)).toEqual(['mine', 'theirs']);
    const { news, status, conflicts } = saver.getState();
    expect(news).toEqual({ by: 7, words: ['Renamed b to theirs'], isMerged: true });
    expect([status, conflicts]).toEqual(['saved', []]);
  });

  it('follows the other while there is nothing of its own', async () => {
    const { saver, editor, elsewhere, requests, titles } = stage();
    const etag = elsewhere((one) => setNodeField(one, 'b', 'title', 'theirs'));
    expect(saver.told(etag, 7)).toBe(true);
    await saver.pull();
    await pass(10_000);
    expect(titles(editor.getState().graph)).toEqual([undefined, 'theirs']);
    expect(editor.getState().past).toEqual([]);
    expect(requests).toEqual([]);
  });

  for (const choice of ['mine', 'theirs'] as const) {
    it(`waits for a choice where both changed one field, and keeps what is typed meanwhile (${choice})`, async () => {
      const { saver, editor, service, title, elsewhere, titles } = stage();
      title('a', 'mine');
      elsewhere((one) => setNodeField(one, 'a', 'title', 'theirs'));
      await pass(2000);
      expect(saver.getState().status).toBe('conflict');
      title('b', 'typed meanwhile');
      await pass(20_000);
      expect(titles(service.graph)).toEqual(['theirs', undefined]);

      const [conflict] = saver.getState().conflicts;
      saver.settle(new Map([[conflict?.id ?? '', choice]]));
      await pass(1000);
      expect(titles(service.graph)).toEqual([choice, 'typed meanwhile']);
      editor.undo();
      const other = choice === 'mine' ? 'theirs' : 'mine';
      expect(titles(editor.getState().graph)).toEqual([other, 'typed meanwhile']);
    });
  }

  for (const [choice, kept] of [
    ['mine', 'mine, longer'],
    ['theirs', 'theirs'],
  ] as const) {
    it(`takes what is typed on in that field meanwhile for mine (${choice})`, async () => {
      const { saver, service, title, elsewhere, titles } = stage();
      title('a', 'mine');
      elsewhere((one) => setNodeField(one, 'a', 'title', 'theirs'));
      await pass(2000);
      title('a', 'mine, longer');
      const [conflict] = saver.getState().conflicts;
      expect(conflict && saver.wordsOf(conflict).mine).toBe('Renamed a to mine, longer');
      saver.settle(new Map([[conflict?.id ?? '', choice]]));
      await pass(1000);
      expect(titles(service.graph)).toEqual([kept, undefined]);
    });
  }

  it('leads to the same choice after a reload', async () => {
    const first = stage();
    first.title('a', 'mine');
    first.elsewhere((one) => setNodeField(one, 'a', 'title', 'theirs'));
    await pass(2000);
    const { base, steps } = first.journal;
    const second = stage(first.service.graph);
    second.saver.adopt({ ...(base as Base), steps, tab: 'gone', at: 0 });
    expect(second.saver.getState().conflicts.length).toBe(1);
    await pass(20_000);
    expect(second.requests).toEqual([]);
  });

  it('is saved without a question after an answer that was lost', async () => {
    const { saver, service, title, elsewhere, editor } = stage();
    title('a', 'mine');
    elsewhere(() => editor.getState().graph);
    await pass(2000);
    expect(saver.getState().conflicts).toEqual([]);
    expect(saver.getState().status).toBe('saved');
    expect(service.revision).toBe(2);
  });

  it('is no conflict with oneself if more was typed after an answer that was lost', async () => {
    const { saver, service, title, titles, loseAnswer } = stage();
    loseAnswer();
    title('a', 'first');
    await pass(1000);
    title('a', 'second');
    await pass(10_000);
    const { conflicts, news, status } = saver.getState();
    expect([conflicts, news, status]).toEqual([[], undefined, 'saved']);
    expect(titles(service.graph)).toEqual(['second', undefined]);
  });

  it('is no conflict with oneself if the answer was lost with the visit', async () => {
    const first = stage();
    first.loseAnswer();
    first.title('a', 'first');
    await pass(1000);
    first.title('a', 'second');
    const { base, steps } = first.journal;
    const second = stage(first.service.graph, first.service.revision);
    second.saver.adopt({ ...(base as Base), steps, tab: 'gone', at: 0 });
    await pass(1000);
    expect(second.saver.getState().conflicts).toEqual([]);
    expect(second.titles(second.service.graph)).toEqual(['second', undefined]);
  });

  it('keeps what could not be saved when the version was published meanwhile', async () => {
    const { saver, service, title, elsewhere, editor, titles } = stage();
    title('a', 'mine');
    elsewhere((one) => setParam(one, 'b', 'width', 1));
    service.state = 'published';
    await pass(2000);
    expect(saver.getState().status).toBe('refused');
    expect(titles(editor.getState().graph)).toEqual(['mine', undefined]);
  });

  it('keeps also what is edited after that, for the next visit to offer', async () => {
    const first = stage();
    first.title('a', 'mine');
    first.elsewhere((one) => setParam(one, 'b', 'width', 1));
    first.service.state = 'published';
    await pass(2000);
    first.title('b', 'later');
    await pass(60_000);
    expect(first.requests.length).toBe(1);
    expect(first.saver.getState().status).toBe('refused');
    const { base, steps } = first.journal;
    const published = { graph: first.service.graph, etag: '"2"' };
    const { graph: kept } = mergeKept({ ...(base as Base), steps }, published);
    expect(first.titles(kept)).toEqual(['mine', 'later']);
    expect(kept.nodes[1]?.params).toEqual({ width: 1 });
  });
});
