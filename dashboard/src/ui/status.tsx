/** A status as a small badge: always a word and a shape, never a colour alone. */
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

const looks: Record<string, Look> = {
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

export const statusLabel = (status: string): string => looks[status]?.label ?? status;

export function Status({ status }: { status: string }) {
  const {
    label,
    tone,
    icon: Icon,
  }: Look = looks[status] ?? {
    label: status,
    tone: 'idle',
    icon: IconCircleDashed,
  };
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
