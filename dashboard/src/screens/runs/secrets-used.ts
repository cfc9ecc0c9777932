/** Which secrets steps got, and in which version, in words. Pure. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';

type Given = NonNullable<NodeRun['secrets']>[number];

/** Of one step, or of all files of a node together; undefined if they got none. */
export function secretsUsed(steps: readonly Pick<NodeRun, 'secrets'>[]): string | undefined {
  const given = Map.groupBy(
    steps.flatMap(({ secrets = [] }) => secrets),
    ({ name }) => name,
  );
  if (given.size === 0) return undefined;
  const words = [...given].map(
    ([name, all]) => `${name}, ${steps.length === 1 ? byTries(all) : versionsOf(all)}`,
  );
  return `Used ${given.size === 1 ? 'secret' : 'secrets'} ${words.join('; ')}`;
}

/** A secret may be replaced between two tries. */
function byTries(given: readonly Given[]): string {
  const [first, ...others] = given
    .toSorted((a, b) => a.attempt - b.attempt)
    .filter(({ version }, at, all) => version !== all[at - 1]?.version);
  return [
    `version ${first?.version}`,
    ...others.map(({ version, attempt }) => `version ${version} from try ${attempt} on`),
  ].join(', ');
}

/** And between two files. */
function versionsOf(given: readonly Given[]): string {
  const versions = [...new Set(given.map(({ version }) => version))].toSorted((a, b) => a - b);
  const last = versions.pop();
  return versions.length === 0 ? `version ${last}` : `versions ${versions.join(', ')} and ${last}`;
}
