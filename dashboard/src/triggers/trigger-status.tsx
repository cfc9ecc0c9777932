/** How a trigger stands: off and why, or what became of its last start; and when it fires. */
import type { Trigger } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { isStatus, Status } from '../ui/status.tsx';
import { Tag } from '../ui/tag.tsx';
import { Coming, When } from '../ui/when.tsx';

const reasons: Record<NonNullable<Trigger['off_reason']>, string> = {
  run_as_disabled: t`Off: its user is disabled`,
  refused_repeatedly: t`Off: refused ten times`,
  taken_over: t`Off: its new user has to turn it on`,
};

export function TriggerStatus({ trigger }: { trigger: Trigger }) {
  const { enabled, off_reason, last_status } = trigger;
  if (!enabled) return <Tag>{off_reason ? reasons[off_reason] : t`Off`}</Tag>;
  if (last_status !== undefined && isStatus(last_status)) return <Status status={last_status} />;
  return (
    <Tag tone="accent">
      <Trans>Ready</Trans>
    </Tag>
  );
}

/** The next time of a schedule, else the last time it fired. */
export function FiresWhen({ trigger }: { trigger: Trigger }) {
  const { type, enabled, next_fire_at, last_fired_at } = trigger;
  if (type === 'schedule' && enabled) {
    return next_fire_at ? <Coming at={next_fire_at} /> : t`Never again`;
  }
  return last_fired_at ? <When at={last_fired_at} /> : t`Not yet`;
}
