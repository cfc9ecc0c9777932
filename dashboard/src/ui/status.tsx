/** A status as a small badge: always text and a shape, never colour alone. */
import type { NodeRun, RunFile, WorkflowRun } from '@cogworks/sdk/contract.gen';
import {
  IconCheck,
  IconCircleDashed,
  IconClock,
  IconCornerDownRight,
  IconExclamationMark,
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

type Shown = WorkflowRun['status'] | NodeRun['status'] | RunFile['status'];

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
};

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
