/** In words: how the content of a file came to be. Pure. */
import type {
  MadeBy,
  Provenance,
  ProvenanceInput,
  ProvenanceRun,
} from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { formatCount } from '../../../../ui/format.ts';

/** What a part of a sentence leads to. */
export type Place =
  | { to: 'run'; id: number; cell?: string }
  | { to: 'workflow'; id: number }
  | { to: 'version'; id: number; workflow: number }
  | { to: 'file'; id: number };

/** Text, or a link. */
export type Part = string | { text: string; place: Place };
export type Sentence = readonly Part[];

/**
 * A sentence whose values may be links.
 *
 * @param words is given a mark for each value, and writes the sentence with the marks in it.
 */
function sentence(values: readonly Part[], words: (...marks: string[]) => string): Sentence {
  const text = words(...values.map((_, at) => `\u0000${at}\u0000`));
  // Every other piece is the number of a value.
  return text
    .split('\u0000')
    .map((piece, at) => (at % 2 === 0 ? piece : (values[Number(piece)] ?? '')))
    .filter((part) => part !== '');
}

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
    const { who, when } = storing(told, around);
    const version = told.restored_from ?? 0;
    sentences.push([t`Version ${version}, restored by ${who}, ${when}.`]);
  }
  if (origin === 'uploaded') {
    const { who, when } = storing(told, around);
    sentences.push([t`Uploaded by ${who}, ${when}. No run made it.`]);
  }
  if (made_by) sentences.push(madeWords(made_by, told), ...remarks(made_by));
  return sentences;
}

function storing({ stored_by, stored_at }: Provenance, { nameOf, whenOf }: Around) {
  const name = nameOf(stored_by);
  return { who: name === t`You` ? t`you` : name, when: whenOf(stored_at) };
}

function copyWords(told: Provenance, around: Around): Sentence {
  const from = told.copied_from;
  const { who, when } = storing(told, around);
  if (from?.cog_id === undefined || from.current_name === undefined) {
    return from?.state === 'removed'
      ? [t`A copy of a file that was deleted for ever, made by ${who}, ${when}.`]
      : [t`A copy of a file that you cannot see, made by ${who}, ${when}.`];
  }
  const { current_name: name, version } = from;
  if (from.state === 'available') {
    const link = { text: name, place: { to: 'file', id: from.cog_id } } as const;
    return version === undefined
      ? sentence([link, who], (file, by) => t`A copy of ${file}, made by ${by}, ${when}.`)
      : sentence(
          [link, who],
          (file, by) => t`A copy of ${file}, version ${version}, made by ${by}, ${when}.`,
        );
  }
  const file = version === undefined ? name : t`${name}, version ${version}`;
  return from.state === 'in_trash'
    ? [t`A copy of ${file}, which is in the trash, made by ${who}, ${when}.`]
    : [t`A copy of ${file}, which was deleted for ever, made by ${who}, ${when}.`];
}

function madeWords(made: MadeBy, told: Provenance): Sentence {
  const changes = settingWords(made.params);
  const values = [
    runOf(made),
    workflowOf(made, t`${made.workflow_name} (deleted)`),
    versionOf(made),
    made.node_title || made.node_key,
    theseInputs(told.inputs, told.inputs_total),
    changes,
  ];
  const hasInputs = told.inputs_total > 0;
  const hasSettings = changes !== '';
  return sentence(values, (run, workflow, version, step, files, settings) => {
    if (hasInputs && hasSettings) {
      return t`Made by ${run} of ${workflow}, ${version}, step ${step}, from ${files}, with ${settings}.`;
    }
    if (hasInputs) {
      return t`Made by ${run} of ${workflow}, ${version}, step ${step}, from ${files}.`;
    }
    if (hasSettings) {
      return t`Made by ${run} of ${workflow}, ${version}, step ${step}, with ${settings}.`;
    }
    return t`Made by ${run} of ${workflow}, ${version}, step ${step}.`;
  });
}

function runOf(made: MadeBy): Part {
  const { workflow_run_id: id, test_run, is_deleted } = made;
  if (is_deleted) return test_run ? t`test run ${id} (deleted)` : t`run ${id} (deleted)`;
  const text = test_run ? t`test run ${id}` : t`run ${id}`;
  return { text, place: { to: 'run', id, cell: cellOf(made) } };
}

type OfWorkflow = Pick<MadeBy, 'workflow_id' | 'workflow_name' | 'is_workflow_deleted'>;

const workflowOf = (
  { workflow_id: id, workflow_name: text, is_workflow_deleted }: OfWorkflow,
  deleted: string,
): Part => (is_workflow_deleted ? deleted : { text, place: { to: 'workflow', id } });

/** A run that made something from a file, and from which version of it. */
export function runSentence(made: ProvenanceRun): Sentence {
  const { workflow_run_id: id, is_deleted, version } = made;
  const link = { text: t`Run ${id}`, place: { to: 'run', id } } as const;
  const values = [is_deleted ? t`Run ${id} (deleted)` : link, workflowOf(made, made.workflow_name)];
  return sentence(values, (run, workflow) =>
    version === undefined
      ? t`${run} of ${workflow}`
      : t`${run} of ${workflow}, from version ${version}`,
  );
}

/** The number of a workflow's version, which leads to it. */
export function versionOf(
  version: Pick<
    MadeBy,
    'workflow_id' | 'is_workflow_deleted' | 'workflow_version_id' | 'version_number'
  >,
): Part {
  const text = t`version ${version.version_number}`;
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
    const id = made.computed_in_run_id;
    const link = { text: t`run ${id}`, place: { to: 'run', id } } as const;
    found.push(
      id === made.workflow_run_id
        ? [t`Nothing had changed since an earlier run, so its result was taken over.`]
        : sentence(
            [link],
            (run) => t`Nothing had changed since ${run}, so its result was taken over.`,
          ),
    );
  }
  if (made.until !== undefined) found.push([t`The run ended with the step ${made.until}.`]);
  if (made.is_version_changed) {
    found.push([t`Version ${made.version_number} is a draft, and was changed since.`]);
  }
  return found;
}

const numbers = t({
  message: 'no one two three four five six seven eight nine ten',
  comment: 'The numbers from 0 to 10, with spaces between them',
}).split(' ');

/** "these three scans": by the name of the input, if that is a plural. */
export function theseInputs(inputs: readonly ProvenanceInput[], total: number): string {
  const names = new Set(inputs.map(({ input_name }) => input_name));
  const [name = ''] = names.size === 1 ? names : [];
  const isPlural = /^[a-z]{3,20}s$/.test(name) && !name.endsWith('ss');
  const count = numbers[total] ?? formatCount(total);
  return isPlural && total > 1
    ? t`these ${count} ${name}`
    : plural(total, { one: 'this file', other: `these ${count} files` });
}

const mostSettings = 3;
const longest = 40;

/** "width 280, mode fit and 2 more settings"; what is not plain is left to the list of settings. */
export function settingWords(params: Readonly<Record<string, unknown>>): string {
  const all = Object.entries(params).map(([name, value]) => [name, valueWords(value)] as const);
  const short = all.filter(([, words]) => words !== '' && words.length <= longest);
  const told = short.slice(0, mostSettings).map(([name, words]) => `${name} ${words}`);
  const [few, more] = [told.join(', '), all.length - told.length];
  if (more === 0) return few;
  return few === ''
    ? plural(more, { one: '# setting', other: '# settings' })
    : plural(more, { one: `${few} and # more setting`, other: `${few} and # more settings` });
}

const switchWords = {
  on: t({ message: 'on', context: 'setting' }),
  off: t({ message: 'off', context: 'setting' }),
};

/** A value of a setting; a secret by its name. */
export function valueWords(value: unknown): string {
  if (typeof value === 'boolean') return value ? switchWords.on : switchWords.off;
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  const secret = (value as { $secret?: unknown } | null)?.$secret;
  if (typeof secret === 'string') return t`the secret ${secret}`;
  return JSON.stringify(value) ?? '';
}

/** What became of an input since: its version and where it is, if that is worth a word. */
export function inputState(input: ProvenanceInput): string {
  const { version, current_version, state, contributed, is_stored, name, current_name } = input;
  const words: string[] = [];
  if (version !== undefined) {
    const isOld = current_version !== undefined && current_version !== version;
    words.push(isOld ? t`version ${version}, now ${current_version}` : t`version ${version}`);
  }
  if (current_name !== undefined && current_name !== name) words.push(t`now ${current_name}`);
  if (state === 'in_trash') words.push(t`in the trash`);
  if (state === 'removed') words.push(t`deleted for ever`);
  else if (is_stored === false) words.push(t`these bytes are no longer stored`);
  if (contributed === false) words.push(t`nothing of it is in the result`);
  return words.join(' · ');
}

/** What the caller may not see is counted. */
export const hiddenWords = (hidden: number, isOnly: boolean): string =>
  isOnly
    ? plural(hidden, { one: '# file you cannot see', other: '# files you cannot see' })
    : plural(hidden, { one: 'and # file you cannot see', other: 'and # files you cannot see' });

/** What making it again does differently; nothing if it does not. */
export function againWords(inputs: readonly ProvenanceInput[]): string | undefined {
  const hidden = inputs.filter(({ state }) => state === 'hidden').length;
  const gone = inputs.filter(({ state }) => state !== 'available').length - hidden;
  const changed = inputs.filter(
    ({ state, version, current_version }) =>
      state === 'available' && version !== undefined && version !== current_version,
  ).length;
  const words: string[] = [];
  if (hidden > 0) {
    words.push(
      plural(hidden, {
        one: '# file you cannot see would be left out',
        other: '# files you cannot see would be left out',
      }),
    );
  }
  if (gone > 0) {
    words.push(
      plural(gone, {
        one: '# file that is gone would be left out',
        other: '# files that are gone would be left out',
      }),
    );
  }
  if (changed > 0) {
    words.push(
      plural(changed, {
        one: '# file has changed, and would be taken as now',
        other: '# files have changed, and would be taken as now',
      }),
    );
  }
  return words.length === 0 ? undefined : `${words.join('; ')}.`;
}

/** Why the same cannot be started as it was; undefined: it can. */
export function whyNotAgain(made: MadeBy): string | undefined {
  if (made.is_workflow_deleted) return t`Its workflow is deleted, so it cannot be made again.`;
  if (made.version_state !== 'archived') return undefined;
  return made.is_deleted
    ? t`Version ${made.version_number} is archived, so it cannot be made again.`
    : t`Version ${made.version_number} is archived. Restart the run to make it again.`;
}
