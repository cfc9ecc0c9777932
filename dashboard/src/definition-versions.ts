/** The version of a definition that follows those there are. Pure. */
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';

type Row = Pick<NodeDefinition, 'id' | 'name' | 'version' | 'scope'>;

/** Of the organization: steps that are built in have versions of their own. */
export function versionAfter(rows: readonly Row[], { name }: Pick<Row, 'name'>): string {
  const taken = rows
    .filter((one) => one.name === name && one.scope === 'tenant')
    .toSorted((a, b) => b.id - a.id);
  return nextVersion(taken.map((one) => one.version));
}

/** `1.2` is followed by `1.3`; one without a number at its end by the same with `.1`. */
export function nextVersion(versions: readonly string[]): string {
  const [newest = '0'] = versions;
  const taken = new Set(versions);
  for (let next = increased(newest); ; next = increased(next)) {
    if (!taken.has(next)) return next;
  }
}

function increased(version: string): string {
  const [, start = '', digits = ''] = /^(.*?)(\d{1,9})$/.exec(version) ?? [];
  return digits === '' ? `${version}.1` : `${start}${Number(digits) + 1}`;
}
