/** In words: how the content of a file came to be. Pure. */
import type { MadeBy, Provenance, ProvenanceInput } from '@cogworks/sdk/contract.gen';
import { formatCount, plural } from '../../../../ui/format.ts';

/** What a part of a sentence leads to. */
export type Place =
  | { to: 'run'; id: number; cell?: string }
  | { to: 'workflow'; id: number }
  | { to: 'version'; id: number; workflow: number }
  | { to: 'file'; id: number };

/** Text, or a link. */
export type Part = string | { text: string; place: Place };
export type Sentence = readonly Part[];

/** What the words need to know besides. */
export type Around = {
  /** A person's name; `You` for the reader. */
  nameOf: (id: number) => string;
  /** A time, relative to now. */
  whenOf: (iso: string) => string;
};

/** The sentences about where the content comes from, in the order of reading. */
export function originSentences(told: Provenance, around: Around): Sentence[] {
  const { origin, made_by } = told;
  const sentences: Sentence[] = [];
  if (origin === 'copied') sentences.push(copyWords(told, around));
  if (origin === 'restored') {
    sentences.push([`Version ${told.restored_from}, restored by ${who(told, around)}.`]);
  }
  if (origin === 'uploaded') {
    sentences.push([`Uploaded by ${who(told, around)}. No run made it.`]);
  }
  if (made_by) sentences.push(madeWords(made_by, told), ...remarks(made_by));
  return sentences;
}

function who({ stored_by, stored_at }: Provenance, { nameOf, whenOf }: Around): string {
  const name = nameOf(stored_by);
  return `${name === 'You' ? 'you' : name}, ${whenOf(stored_at)}`;
}

function copyWords(told: Provenance, around: Around): Sentence {
  const from = told.copied_from;
  const end = `, made by ${who(told, around)}.`;
  if (from?.cog_id === undefined || from.current_name === undefined) {
    const why = from?.state === 'removed' ? 'that was deleted for ever' : 'that you cannot see';
    return [`A copy of a file ${why}${end}`];
  }
  const version = from.version === undefined ? '' : `, version ${from.version}`;
  if (from.state === 'available') {
    const place = { to: 'file', id: from.cog_id } as const;
    return ['A copy of ', { text: from.current_name, place }, `${version}${end}`];
  }
  const gone = from.state === 'in_trash' ? 'is in the trash' : 'was deleted for ever';
  return [`A copy of ${from.current_name}${version}, which ${gone}${end}`];
}

function madeWords(made: MadeBy, told: Provenance): Sentence {
  const run = `${made.test_run ? 'test run' : 'run'} ${made.workflow_run_id}`;
  const from =
    told.inputs_total === 0 ? '' : `, from ${theseInputs(told.inputs, told.inputs_total)}`;
  const settings = settingWords(made.params);
  return [
    'Made by ',
    made.is_deleted
      ? `${run} (deleted)`
      : { text: run, place: { to: 'run', id: made.workflow_run_id, cell: cellOf(made) } },
    ' of ',
    made.is_workflow_deleted
      ? `${made.workflow_name} (deleted)`
      : { text: made.workflow_name, place: { to: 'workflow', id: made.workflow_id } },
    ', ',
    versionOf(made),
    `, step ${made.node_title || made.node_key}`,
    from,
    settings === '' ? '' : `, with ${settings}`,
    '.',
  ];
}

/** The number of a workflow's version, which leads to it. */
export function versionOf(
  version: Pick<
    MadeBy,
    'workflow_id' | 'is_workflow_deleted' | 'workflow_version_id' | 'version_number'
  >,
): Part {
  const text = `version ${version.version_number}`;
  if (version.is_workflow_deleted) return text;
  const { workflow_version_id: id, workflow_id: workflow } = version;
  return { text, place: { to: 'version', id, workflow } };
}

/** Of the grid of a run: the step, and which file of it. */
export const cellOf = ({ node_key, shard_index }: Pick<MadeBy, 'node_key' | 'shard_index'>) =>
  shard_index === undefined ? node_key : `${node_key}:${shard_index}`;

function remarks(made: MadeBy): Sentence[] {
  const found: Sentence[] = [];
  if (made.cached) {
    const run = `run ${made.computed_in_run_id}`;
    const place = { to: 'run', id: made.computed_in_run_id } as const;
    found.push([
      'Nothing had changed since ',
      made.computed_in_run_id === made.workflow_run_id ? 'an earlier run' : { text: run, place },
      ', so its result was taken over.',
    ]);
  }
  if (made.until !== undefined) found.push([`The run ended with the step ${made.until}.`]);
  if (made.is_version_changed) {
    found.push([`Version ${made.version_number} is a draft, and was changed since.`]);
  }
  return found;
}

const numbers = 'no one two three four five six seven eight nine ten'.split(' ');

/** "these three scans": by the name of the input, if that is a plural. */
export function theseInputs(inputs: readonly ProvenanceInput[], total: number): string {
  const names = new Set(inputs.map(({ input_name }) => input_name));
  const [name = ''] = names.size === 1 ? names : [];
  const isPlural = /^[a-z]{3,20}s$/.test(name) && !name.endsWith('ss');
  const noun = isPlural ? name : 'files';
  if (total === 1) return 'this file';
  return `these ${numbers[total] ?? formatCount(total)} ${noun}`;
}

const mostSettings = 3;
const longest = 40;

/** "width 280, mode fit and 2 more settings"; what is not plain is left to the list of settings. */
export function settingWords(params: Readonly<Record<string, unknown>>): string {
  const all = Object.entries(params).map(([name, value]) => [name, valueWords(value)] as const);
  const short = all.filter(([, words]) => words !== '' && words.length <= longest);
  const told = short.slice(0, mostSettings).map(([name, words]) => `${name} ${words}`);
  const more = all.length - told.length;
  if (told.length === 0) return more === 0 ? '' : plural(more, 'setting');
  return more === 0
    ? told.join(', ')
    : `${told.join(', ')} and ${plural(more, 'more setting', 'more settings')}`;
}

/** A value of a setting; a secret by its name. */
export function valueWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  const secret = (value as { $secret?: unknown } | null)?.$secret;
  if (typeof secret === 'string') return `the secret ${secret}`;
  return JSON.stringify(value) ?? '';
}

/** What became of an input since: its version and where it is, if that is worth a word. */
export function inputState(input: ProvenanceInput): string {
  const { version, current_version, state, contributed, is_stored, name, current_name } = input;
  const words: string[] = [];
  if (version !== undefined) {
    const isOld = current_version !== undefined && current_version !== version;
    words.push(isOld ? `version ${version}, now ${current_version}` : `version ${version}`);
  }
  if (current_name !== undefined && current_name !== name) words.push(`now ${current_name}`);
  if (state === 'in_trash') words.push('in the trash');
  if (state === 'removed') words.push('deleted for ever');
  else if (is_stored === false) words.push('these bytes are no longer stored');
  if (contributed === false) words.push('nothing of it is in the result');
  return words.join(' · ');
}

/** What the caller may not see is counted. */
export const hiddenWords = (hidden: number, isOnly: boolean): string =>
  `${isOnly ? '' : 'and '}${plural(hidden, 'file')} you cannot see`;

/** What making it again does differently; nothing if it does not. */
export function againWords(inputs: readonly ProvenanceInput[]): string | undefined {
  const hidden = inputs.filter(({ state }) => state === 'hidden').length;
  const gone = inputs.filter(({ state }) => state !== 'available').length - hidden;
  const changed = inputs.filter(
    ({ state, version, current_version }) =>
      state === 'available' && version !== undefined && version !== current_version,
  ).length;
  const words: string[] = [];
  if (hidden > 0) words.push(`${plural(hidden, 'file')} you cannot see would be left out`);
  if (gone > 0)
    words.push(`${plural(gone, 'file that is', 'files that are')} gone would be left out`);
  if (changed > 0) {
    words.push(`${plural(changed, 'file has', 'files have')} changed, and would be taken as now`);
  }
  return words.length === 0 ? undefined : `${words.join('; ')}.`;
}

/** Why the same cannot be started as it was; undefined: it can. */
export function whyNotAgain(made: MadeBy): string | undefined {
  if (made.is_workflow_deleted) return 'Its workflow is deleted, so it cannot be made again.';
  if (made.version_state !== 'archived') return undefined;
  return made.is_deleted
    ? `Version ${made.version_number} is archived, so it cannot be made again.`
    : `Version ${made.version_number} is archived. Restart the run to make it again.`;
}
