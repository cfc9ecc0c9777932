/** Which secrets a step got, and in which version, in words. Pure. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';

type Given = NonNullable<NodeRun['secrets']>[number];

/** Each secret with its versions; undefined if there are none. */
export function secretsUsed({ secrets = [] }: Pick<NodeRun, 'secrets'>): string | undefined {
  const given = Map.groupBy(secrets, ({ name }) => name);
  if (given.size === 0) return undefined;
  return [...given].map(([name, all]) => `${name}, ${versionsOf(all)}`).join('; ');
}

/** A secret may be replaced between two tries. */
const versionsOf = (given: readonly Given[]): string =>
  given
    .toSorted((a, b) => a.attempt - b.attempt)
    .filter(({ version }, at, all) => version !== all[at - 1]?.version)
    .map(({ version, attempt }, at) =>
      at === 0 ? t`version ${version}` : t`version ${version} from try ${attempt} on`,
    )
    .join(', ');
