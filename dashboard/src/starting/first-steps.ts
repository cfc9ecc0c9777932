/** What a newcomer has done, by what the service knows. Pure. */
import type { RunFile, TemplateSample, WorkflowVersionSummary } from '@cogworks/sdk/contract.gen';
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

/** What a run on samples tells its reader. */
export function sampleOutcome(
  inputs: readonly (Given & Pick<RunFile, 'status'>)[],
  templates: readonly Pick<TemplateSummary, 'samples'>[],
): { worked: number; all: number; damaged: string[] } | undefined {
  if (inputs.length === 0 || hasOwnFile(inputs, templates)) return undefined;
  const failed = inputs.filter(({ status }) => status === 'failure');
  const damaged = failed.filter((file) => sampleOf(file, templates)?.is_damaged);
  return {
    worked: inputs.filter(({ status }) => status === 'success').length,
    all: inputs.length,
    damaged: damaged.map(({ name }) => name),
  };
}
