/** The types of triggers: their names, their signs, and what they are for. */
import { t } from '@lingui/core/macro';
import {
  IconCalendarClock,
  IconFolderDown,
  type IconProps,
  IconWebhook,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { TriggerType } from './trigger-form.ts';

type Look = { label: string; purpose: string; icon: ComponentType<IconProps> };

export const triggerTypes: Record<TriggerType, Look> = {
  schedule: {
    label: t`Schedule`,
    purpose: t`At times you choose, in any time zone.`,
    icon: IconCalendarClock,
  },
  webhook: {
    label: t`Webhook`,
    purpose: t`When another program posts a signed message.`,
    icon: IconWebhook,
  },
  folder: {
    label: t`New files`,
    purpose: t`Over the files that come into a folder.`,
    icon: IconFolderDown,
  },
};

export const allTypes = Object.keys(triggerTypes) as TriggerType[];

export function TypeLabel({ type }: { type: TriggerType }) {
  const { label, icon: Icon } = triggerTypes[type];
  return (
    <span style={{ display: 'inline-flex', alignItems: 'center', gap: 7, verticalAlign: 'bottom' }}>
      <Icon size={16} stroke={1.7} aria-hidden />
      {label}
    </span>
  );
}

export const presets = [
  { value: 'standard', label: 'Standard Webhooks' },
  { value: 'github', label: 'GitHub' },
  { value: 'gitlab', label: t`GitLab (19.0 or newer)` },
  { value: 'stripe', label: 'Stripe' },
  { value: 'slack', label: 'Slack' },
] as const;

export type Preset = (typeof presets)[number]['value'];

export const presetLabel = (preset: Preset | undefined): string =>
  presets.find(({ value }) => value === preset)?.label ?? 'Standard Webhooks';
