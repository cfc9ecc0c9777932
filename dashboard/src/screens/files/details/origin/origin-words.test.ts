import type { MadeBy, Provenance, ProvenanceInput } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import {
  againWords,
  cellOf,
  hiddenWords,
  inputState,
  originSentences,
  type Sentence,
  settingWords,
  theseInputs,
  whyNotAgain,
} from './origin-words.ts';

const made = {
  workflow_run_id: 4,
  is_deleted: false,
  test_run: false,
  workflow_id: 9,
  workflow_version_id: 12,
  workflow_name: 'Scans to PDF',
  is_workflow_deleted: false,
  version_number: 3,
  version_state: 'published',
  node_key: 'resize',
  node_title: 'Resize',
  shard_index: 1,
  cached: false,
  computed_in_run_id: 4,
  params: { width: 280 },
} as unknown as MadeBy;

const input = (over: Partial<ProvenanceInput> = {}): ProvenanceInput => ({
  input_name: 'scans',
  position: 0,
  state: 'available',
  cog_id: 1,
  name: 'a.pdf',
  version: 1,
  current_version: 1,
  ...over,
});

const told = (over: Partial<Provenance>): Provenance => ({
  cog_id: 7,
  version: 1,
  is_current: true,
  origin: 'run',
  stored_by: 2,
  stored_at: '2026-11-23T12:00:00Z',
  inputs: [],
  inputs_total: 0,
  inputs_hidden: 0,
  used_in: [],
  more_used_in: false,
  ...over,
});

const around = { nameOf: (id: number) => (id === 2 ? 'You' : 'Ana'), whenOf: () => '3 d ago' };
const plain = (sentence: Sentence) =>
  sentence.map((part) => (typeof part === 'string' ? part : part.text)).join('');
const words = (over: Partial<Provenance>) => originSentences(told(over), around).map(plain);

describe('where a file comes from', () => {
  it('names run, workflow, version, step, inputs and settings in one sentence', () => {
    const inputs = [input(), input(), input()];
    expect(words({ made_by: made, inputs, inputs_total: 3 })).toEqual([
      'Made by run 4 of Scans to PDF, version 3, step Resize, from these three scans, with width 280.',
    ]);
  });

  it('leads to the cell of the run and to the workflow, while they are there', () => {
    const places = (made_by: MadeBy) =>
      originSentences(told({ made_by }), around)
        .flat()
        .flatMap((part) => (typeof part === 'string' ? [] : [part.place]));
    expect(places(made)).toEqual([
      { to: 'run', id: 4, cell: 'resize:1' },
      { to: 'workflow', id: 9 },
      { to: 'version', id: 12, workflow: 9 },
    ]);
    expect(places({ ...made, is_deleted: true, is_workflow_deleted: true })).toEqual([]);
    expect(cellOf({ node_key: 'gather' })).toBe('gather');
  });

  it('says plainly that nobody but a person brought it', () => {
    expect(words({ origin: 'uploaded' })).toEqual(['Uploaded by you, 3 d ago. No run made it.']);
    expect(words({ origin: 'restored', restored_from: 2, stored_by: 5 })).toEqual([
      'Version 2, restored by Ana, 3 d ago.',
    ]);
  });

  it('of a copy names the file and what became of it, if the reader may know', () => {
    const of = (copied_from: Provenance['copied_from']) => words({ origin: 'copied', copied_from });
    expect(
      [
        of({ state: 'available', cog_id: 3, current_name: 'b.pdf', version: 2 }),
        of({ state: 'in_trash', cog_id: 3, current_name: 'b.pdf' }),
        of({ state: 'hidden' }),
        of({ state: 'removed' }),
      ].flat(),
    ).toEqual([
      'A copy of b.pdf, version 2, made by you, 3 d ago.',
      'A copy of b.pdf, which is in the trash, made by you, 3 d ago.',
      'A copy of a file that you cannot see, made by you, 3 d ago.',
      'A copy of a file that was deleted for ever, made by you, 3 d ago.',
    ]);
  });

  it('remarks that a result was taken over, and that a draft changed', () => {
    const made_by = { ...made, cached: true, computed_in_run_id: 3, is_version_changed: true };
    expect(words({ made_by }).slice(1)).toEqual([
      'Nothing had changed since run 3, so its result was taken over.',
      'Version 3 is a draft, and was changed since.',
    ]);
  });
});

it('calls the inputs by the name of their input where that is a plural', () => {
  expect(theseInputs([input()], 1)).toBe('this file');
  expect(theseInputs([input(), input()], 2)).toBe('these two scans');
  expect(theseInputs([input({ input_name: 'in' })], 12)).toBe('these 12 files');
  expect(theseInputs([input(), input({ input_name: 'logo' })], 2)).toBe('these two files');
});

it('tells three short settings and counts the others', () => {
  const params = { width: 280, text: 'x'.repeat(99), crop: true, token: { $secret: 'KEY' }, n: 1 };
  expect(settingWords(params)).toBe('width 280, crop on, token the secret KEY and 2 more settings');
  expect(settingWords({})).toBe('');
  expect(settingWords({ text: 'x'.repeat(99) })).toBe('1 setting');
});

it('tells what became of an input since', () => {
  expect(inputState(input())).toBe('version 1');
  expect(inputState(input({ version: 2, current_version: 5, current_name: 'c.pdf' }))).toBe(
    'version 2, now 5 · now c.pdf',
  );
  expect(inputState(input({ state: 'removed', is_stored: false, contributed: false }))).toBe(
    'version 1 · deleted for ever · nothing of it is in the result',
  );
  expect([hiddenWords(2, false), hiddenWords(1, true)]).toEqual([
    'and 2 files you cannot see',
    '1 file you cannot see',
  ]);
});

it('says before making it again what would differ, or why it cannot be', () => {
  expect(againWords([input()])).toBeUndefined();
  const changed = input({ version: 1, current_version: 2 });
  expect(againWords([input({ state: 'hidden' }), input({ state: 'removed' }), changed])).toBe(
    '1 file you cannot see would be left out; 1 file that is gone would be left out; 1 file has changed, and would be taken as now.',
  );
  expect(whyNotAgain(made)).toBeUndefined();
  expect(whyNotAgain({ ...made, version_state: 'archived' })).toMatch(/Restart the run/);
  expect(whyNotAgain({ ...made, is_workflow_deleted: true })).toMatch(/workflow is deleted/);
});
