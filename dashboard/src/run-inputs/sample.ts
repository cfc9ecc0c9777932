/**
 * What a workflow is tried with, by the person who edits it: files, kept in this browser between
 * visits, and values of the variables, which are not.
 */
import { ApiError } from '@cogworks/sdk/errors';

export type Sample = {
  cog_ids: readonly number[];
  variables: Readonly<Record<string, unknown>>;
};

type Asked = { variable_name: string; required?: boolean; default?: unknown };

/** The names of variables that need a value and have none. */
export const missingValues = (
  values: Sample['variables'],
  asked: readonly Asked[],
): readonly string[] =>
  asked
    .filter(
      ({ variable_name, required, default: usual }) =>
        required && usual === undefined && values[variable_name] === undefined,
    )
    .map(({ variable_name }) => variable_name);

/** A value that is the default is left out: whoever changes the default tries the new one. */
export function withoutDefaults(
  values: Sample['variables'],
  asked: readonly Asked[],
): Sample['variables'] {
  const defaults = new Map(asked.map((one) => [one.variable_name, one.default]));
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => value !== defaults.get(name)),
  );
}

/** Whether a version could start with it, as far as that is known before. */
export const isComplete = (
  { cog_ids, variables }: Sample,
  { needsFiles, variables: asked }: { needsFiles: boolean; variables: readonly Asked[] },
): boolean => (!needsFiles || cog_ids.length > 0) && missingValues(variables, asked).length === 0;

/** Whether a file was deleted, or may not be seen any more. */
export const isGone = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 403 || error.status === 404);

/** Others may sign in in the same browser: files are of who chose them. */
const keyOf = (userId: number, workflowId: number) => `cogworks.sample.${userId}.${workflowId}`;

export function keptSample(userId: number, workflowId: number): Sample {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(userId, workflowId)) ?? '[]');
    const cog_ids = Array.isArray(kept) ? kept.filter(Number.isSafeInteger) : [];
    return { cog_ids, variables: {} };
  } catch {
    return { cog_ids: [], variables: {} };
  }
}

/** Values of variables may be confidential, and are not kept. */
export function keepSample(userId: number, workflowId: number, { cog_ids }: Sample) {
  try {
    localStorage.setItem(keyOf(userId, workflowId), JSON.stringify(cog_ids));
  } catch {
    // Without storage the files are chosen anew at the next visit.
  }
}
