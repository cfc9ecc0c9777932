/** A status as a small badge: always text and a shape, never colour alone. */
import type {
  Delivery,
  Firing,
  NodeRun,
  NoticeDelivery,
  RunFile,
  Worker,
  WorkflowRun,
} from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import {
  IconCheck,
  IconCircleDashed,
  IconClock,
  IconCornerDownRight,
  IconExclamationMark,
  IconHourglass,
  IconMinus,
  type IconProps,
  IconX,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import classes from './status.module.css';

type Look = {
  label: string;
  tone: 'good' | 'busy' | 'bad' | 'mixed' | 'idle';
  icon: ComponentType<IconProps> | 'pulse';
};

type Shown =
  | WorkflowRun['status']
  | NodeRun['status']
  | RunFile['status']
  | Firing['state']
  | Delivery['verdict']
  | NoticeDelivery['state']
  | Worker['status'];

const looks: Record<Shown, Look> = {
  queued: { label: t`Queued`, tone: 'idle', icon: IconClock },
  pending: { label: t`Waiting`, tone: 'idle', icon: IconCircleDashed },
  running: { label: t`Running`, tone: 'busy', icon: 'pulse' },
  processing: { label: t`Processing`, tone: 'busy', icon: 'pulse' },
  success: { label: t`Success`, tone: 'good', icon: IconCheck },
  partial_success: { label: t`Partial success`, tone: 'mixed', icon: IconExclamationMark },
  failure: { label: t`Failed`, tone: 'bad', icon: IconX },
  cancelled: { label: t`Cancelled`, tone: 'idle', icon: IconMinus },
  skipped: { label: t`Skipped`, tone: 'idle', icon: IconCornerDownRight },
  waiting: { label: t`Waiting`, tone: 'idle', icon: IconClock },
  fired: { label: t`Started`, tone: 'good', icon: IconCheck },
  superseded: { label: t`Superseded`, tone: 'idle', icon: IconMinus },
  dropped: { label: t`Missed`, tone: 'mixed', icon: IconExclamationMark },
  refused: { label: t`Refused`, tone: 'bad', icon: IconX },
  accepted: { label: t`Accepted`, tone: 'good', icon: IconCheck },
  repeated: { label: t`Repeated`, tone: 'idle', icon: IconCornerDownRight },
  answered: { label: t`Test answered`, tone: 'idle', icon: IconCheck },
  disabled: { label: t`Turned off`, tone: 'idle', icon: IconMinus },
  delivered: { label: t`Delivered`, tone: 'good', icon: IconCheck },
  failed: { label: t`Given up`, tone: 'bad', icon: IconX },
  online: { label: t`Online`, tone: 'good', icon: IconCheck },
  draining: { label: t`Draining`, tone: 'mixed', icon: IconHourglass },
  offline: { label: t`Away`, tone: 'idle', icon: IconMinus },
  bad_signature: { label: t`Wrong signature`, tone: 'bad', icon: IconX },
};

/** Whether a status of a later service is known here. */
export const isStatus = (status: string): status is Shown => Object.hasOwn(looks, status);

export const statusLabel = (status: Shown): string => looks[status].label;

export function Status({ status }: { status: Shown }) {
  const { label, tone, icon: Icon } = looks[status];
  return (
    <span className={classes.status} data-tone={tone} data-status={status}>
      {Icon === 'pulse' ? (
        <span className={classes.pulse} aria-hidden />
      ) : (
        <Icon size={13} stroke={2.6} aria-hidden />
      )}
      {label}
    </span>
  );
}
