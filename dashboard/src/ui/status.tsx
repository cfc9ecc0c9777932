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
  queued: { label: 'Queued', tone: 'idle', icon: IconClock },
  pending: { label: 'Waiting', tone: 'idle', icon: IconCircleDashed },
  running: { label: 'Running', tone: 'busy', icon: 'pulse' },
  processing: { label: 'Processing', tone: 'busy', icon: 'pulse' },
  success: { label: 'Success', tone: 'good', icon: IconCheck },
  partial_success: { label: 'Partial success', tone: 'mixed', icon: IconExclamationMark },
  failure: { label: 'Failed', tone: 'bad', icon: IconX },
  cancelled: { label: 'Cancelled', tone: 'idle', icon: IconMinus },
  skipped: { label: 'Skipped', tone: 'idle', icon: IconCornerDownRight },
  waiting: { label: 'Waiting', tone: 'idle', icon: IconClock },
  fired: { label: 'Started', tone: 'good', icon: IconCheck },
  superseded: { label: 'Superseded', tone: 'idle', icon: IconMinus },
  dropped: { label: 'Missed', tone: 'mixed', icon: IconExclamationMark },
  refused: { label: 'Refused', tone: 'bad', icon: IconX },
  accepted: { label: 'Accepted', tone: 'good', icon: IconCheck },
  repeated: { label: 'Repeated', tone: 'idle', icon: IconCornerDownRight },
  answered: { label: 'Test answered', tone: 'idle', icon: IconCheck },
  disabled: { label: 'Turned off', tone: 'idle', icon: IconMinus },
  delivered: { label: 'Delivered', tone: 'good', icon: IconCheck },
  failed: { label: 'Given up', tone: 'bad', icon: IconX },
  online: { label: 'Online', tone: 'good', icon: IconCheck },
  draining: { label: 'Draining', tone: 'mixed', icon: IconHourglass },
  offline: { label: 'Away', tone: 'idle', icon: IconMinus },
  bad_signature: { label: 'Wrong signature', tone: 'bad', icon: IconX },
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
