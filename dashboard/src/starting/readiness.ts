/** Whether a template can run now, by what the service says it needs. Pure. */
import type { TemplateRequirement } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';

export type Readiness = {
  state: 'ready' | 'later' | 'building' | 'missing';
  /** In a few words. */
  label: string;
  /** What is missing and what to do, or what is still done, as sentences. */
  details: readonly string[];
  /** It may be started: also if an image could not be made, which is then tried again. */
  may_start: boolean;
};

/** An image that is being made, for which runs wait. */
export const isBuilding = ({ state }: TemplateRequirement): boolean => state === 'building';

export function readinessOf(requirements: readonly TemplateRequirement[]): Readiness {
  const of = (isSuch: (one: TemplateRequirement) => boolean) =>
    requirements.filter(isSuch).map(({ message }) => message);
  const missing = of(({ is_met }) => is_met === false);
  if (missing.length > 0) {
    const may_start = requirements.every(
      ({ is_met, state }) => is_met !== false || state === 'failed',
    );
    return { state: 'missing', label: t`Cannot run yet`, details: missing, may_start };
  }
  const may_start = true;
  const building = of(isBuilding);
  if (building.length > 0)
    return { state: 'building', label: t`Being prepared`, details: building, may_start };
  const absent = of(({ state }) => state === 'absent');
  if (absent.length > 0)
    return { state: 'later', label: t`Ready after a download`, details: absent, may_start };
  return { state: 'ready', label: t`Ready`, details: [], may_start };
}

const order = { ready: 0, building: 1, later: 2, missing: 3 };

type Tried = {
  id: number;
  node_count: number;
  samples?: { size_bytes: number }[] | undefined;
};

/** In kilobytes; less makes no difference. */
const weightOf = ({ samples = [] }: Tried) =>
  Math.ceil(samples.reduce((sum, { size_bytes }) => sum + size_bytes, 0) / 1000);

/**
 * What runs soonest comes first; of equals, what is tried on the smallest files, and what has more
 * steps to watch.
 */
export const bySpeed = <Row extends Tried>(
  rows: readonly Row[],
  stateOf: (id: number) => Readiness['state'] | undefined,
): Row[] => {
  const rank = ({ id }: Row) => order[stateOf(id) ?? 'later'];
  return rows.toSorted(
    (a, b) => rank(a) - rank(b) || weightOf(a) - weightOf(b) || b.node_count - a.node_count,
  );
};
