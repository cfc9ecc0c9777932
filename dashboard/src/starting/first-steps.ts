/** What a newcomer has done, by what the service knows. Pure. */
import type {
  RunFile,
  TemplateSample,
  WorkflowRun,
  WorkflowVersionSummary,
} from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import type { TemplateSummary } from './templates.ts';

type Given = Pick<RunFile, 'name' | 'size_bytes'>;

/** The sample that a file is a copy of. */
export const sampleOf = (
  { name, size_bytes }: Given,
  templates: readonly Pick<TemplateSummary, 'samples'>[],
): TemplateSample | undefined =>
  templates
    .flatMap(({ samples = [] }) => samples)
    .find((sample) => sample.name === name && sample.size_bytes === size_bytes);

/** Whether somebody brought files of their own. */
export const hasOwnFile = (
  inputs: readonly Given[],
  templates: readonly Pick<TemplateSummary, 'samples'>[],
): boolean => inputs.some((file) => !sampleOf(file, templates));

/** Whether a published version is more than a template as it came. */
export const isOwnVersion = (
  { state, version_number, created_by }: WorkflowVersionSummary,
  by: number,
): boolean => state === 'published' && created_by === by && version_number > 1;

/** What a run on samples tells its reader. `others` failed too, though nothing is wrong with them. */
export function sampleOutcome(
  inputs: readonly (Given & Pick<RunFile, 'status'>)[],
  templates: readonly Pick<TemplateSummary, 'samples'>[],
): SampleOutcome | undefined {
  if (inputs.length === 0 || hasOwnFile(inputs, templates)) return undefined;
  const failed = inputs.filter(({ status }) => status === 'failure');
  const damaged = failed.filter((file) => sampleOf(file, templates)?.is_damaged);
  const worked = inputs.filter(({ status }) => status === 'success').length;
  return {
    ...{ worked, all: inputs.length, damaged: damaged.map(({ name }) => name) },
    others: failed.length - damaged.length,
  };
}

export type SampleOutcome = { worked: number; all: number; damaged: string[]; others: number };

/** The outcome in words, and where the results are if there are any. */
export function outcomeWords(
  { worked, damaged: [name], others }: SampleOutcome,
  status: WorkflowRun['status'],
): string {
  const where = t`The results are under “Outputs”, and in Files in the folder “Workflow outputs”.`;
  if (status === 'cancelled') return t`The run was cancelled before its end.`;
  if (others > 0 || (status !== 'success' && name === undefined)) {
    return t`This should not happen with samples. Choose a red cell below: it says what went wrong, and what helps.`;
  }
  if (name === undefined) return `${t`All went well.`} ${where}`;
  if (status !== 'partial_success' || worked === 0) {
    return t`“${name}” is damaged on purpose: its row says why it failed.`;
  }
  const why = t`“${name}” is damaged on purpose: one bad file does not stop the others, and its row says why it failed. That is what “Partial success” means.`;
  return `${why} ${where}`;
}
