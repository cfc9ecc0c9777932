/** The variables of a run as they are shown, in the order of its version. Pure. */
import type { WorkflowRun as Run, Variable } from '@cogworks/sdk/contract.gen';
import { visibleText } from '../../ui/visible-text.ts';

export type ShownVariable = {
  name: string;
  /** Undefined if it has none. */
  text: string | undefined;
  isDefault: boolean;
};

/**
 * A run keeps the value of each variable: what was given, else the default, else null. It does not
 * keep which it was, so that what equals the default counts as one. A value may name a secret; what
 * that holds is in no run.
 */
export function shownVariables(
  values: Run['extra_variables'],
  declared: readonly Variable[] | undefined = [],
): ShownVariable[] {
  const places = new Map(declared.map(({ variable_name }, at) => [variable_name, at]));
  const defaults = new Map(declared.map((one) => [one.variable_name, one.default]));
  const placeOf = ([name]: [string, unknown]) => places.get(name) ?? declared.length;
  return Object.entries(values)
    .sort((a, b) => placeOf(a) - placeOf(b))
    .map(([name, value]) => ({
      name,
      text: value === null ? undefined : textOf(value),
      isDefault: value !== null && value === defaults.get(name),
    }));
}

const textOf = (value: unknown) =>
  visibleText(typeof value === 'string' ? value : JSON.stringify(value));
