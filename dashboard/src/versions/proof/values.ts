/** The variables of two versions, and the values that each gets of one sample. Pure. */
import { sameJson } from '@cogworks/graph/edit/changes';
import type { Variable } from '@cogworks/sdk/contract.gen';

type Version = { variables: readonly Variable[] };

/**
 * All that either takes; of one that both have, as the draft describes it. Where one of them has no
 * default and needs a value, the default of the other is none for both.
 */
export function askedOf(before: Version, now: Version): Variable[] {
  const all = new Map(
    [...before.variables, ...now.variables].map((one) => [one.variable_name, one]),
  );
  const required = new Set(
    [...before.variables, ...now.variables]
      .filter((one) => one.required && one.default === undefined)
      .map(({ variable_name }) => variable_name),
  );
  return [...all.values()].map((one) => {
    if (!required.has(one.variable_name)) return one;
    const { default: _, ...asked } = one;
    return { ...asked, required: true };
  });
}

/**
 * What a version is started with: the values of those variables that it has. One that is the
 * default of either version was left as it is, so each has its own: a changed default is a change.
 */
export function valuesFor(
  version: Version,
  other: Version,
  values: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const isDefault = (name: string) =>
    [version, other].some(({ variables }) =>
      variables.some(
        ({ variable_name, default: usual }) =>
          variable_name === name && usual !== undefined && sameJson(usual, values[name]),
      ),
    );
  return Object.fromEntries(
    version.variables.flatMap(({ variable_name: name, default: usual }) => {
      const isOwn = usual !== undefined && isDefault(name);
      return Object.hasOwn(values, name) && !isOwn ? [[name, values[name]]] : [];
    }),
  );
}
