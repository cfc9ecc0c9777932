import { definitions, graph, node } from '@cogworks/graph/examples';
import type { Fault } from '@cogworks/graph/types';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEditor } from '../editor.ts';
import type { Question } from './validation-worker.ts';
import { rest_ms, watchFaults } from './watch.ts';

const fault = (message: string): Fault => ({ code: 'bad_when', message });

function watched() {
  const editor = createEditor({ graph: graph([node('a', 1)]), definitions, isReadOnly: false });
  const asked: Question[] = [];
  let answer: (faults: Fault[]) => void = () => {};
  let fail = () => {};
  const end = watchFaults(editor, (onAnswer, onFailure) => {
    fail = onFailure;
    answer = (faults) => onAnswer({ id: asked.at(-1)?.id ?? 0, faults });
    return { ask: (question) => asked.push(question), end: () => {} };
  });
  let count = 0;
  const change = () => {
    count += 1;
    editor.edit('More', (old) => ({ ...old, nodes: [...old.nodes, node(`n${count}`, 1)] }));
  };
  const messages = () => editor.getState().faults.map(({ message }) => message);
  return {
    ...{ editor, asked, change, messages, end },
    answer: (faults: Fault[]) => answer(faults),
    fail: () => fail(),
  };
}

describe('the faults of what is edited', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('are asked for at once, and a moment after the last change', () => {
    const { asked, answer, change } = watched();
    vi.advanceTimersByTime(0);
    expect(asked).toHaveLength(1);
    answer([]);

    change();
    vi.advanceTimersByTime(rest_ms - 1);
    change();
    vi.advanceTimersByTime(rest_ms - 1);
    expect(asked).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(asked).toHaveLength(2);
    expect(asked[1]?.graph.nodes).toHaveLength(3);
  });

  it('are those of the latest graph, with one question at a time', () => {
    const { asked, answer, change, messages } = watched();
    vi.advanceTimersByTime(0);
    change();
    vi.advanceTimersByTime(rest_ms);
    expect(asked).toHaveLength(1);

    answer([fault('of an earlier graph')]);
    expect(messages()).toEqual([]);
    expect(asked).toHaveLength(2);
    answer([fault('of this one')]);
    expect(messages()).toEqual(['of this one']);
  });

  it('are not asked for again when only the selection changes', () => {
    const { editor, asked, answer } = watched();
    vi.advanceTimersByTime(0);
    answer([]);
    editor.select(['node:a']);
    vi.advanceTimersByTime(1000);
    expect(asked).toHaveLength(1);
  });

  it('take the catalogue along once', () => {
    const { asked, answer, change } = watched();
    vi.advanceTimersByTime(0);
    answer([]);
    change();
    vi.advanceTimersByTime(rest_ms);
    expect(asked.map((question) => question.definitions !== undefined)).toEqual([true, false]);
  });

  it('are unknown until there is an answer, and after a failure, until the next one', () => {
    const { editor, asked, answer, change, fail } = watched();
    const isChecked = () => editor.getState().isChecked;
    vi.advanceTimersByTime(0);
    expect(isChecked()).toBe(false);
    answer([]);
    expect(isChecked()).toBe(true);
    change();
    vi.advanceTimersByTime(rest_ms);
    fail();
    expect(isChecked()).toBe(false);
    change();
    vi.advanceTimersByTime(rest_ms);
    expect(asked).toHaveLength(3);
    answer([]);
    expect(isChecked()).toBe(true);
  });

  it('are not asked for after the end', () => {
    const { asked, answer, change, end } = watched();
    vi.advanceTimersByTime(0);
    answer([]);
    end();
    change();
    vi.advanceTimersByTime(1000);
    expect(asked).toHaveLength(1);
  });
});
