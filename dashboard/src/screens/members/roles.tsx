/** The two roles, in words. */
import type { User } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';

type Role = User['role'];

const roles: Record<Role, { label: string; means: string }> = {
  member: {
    label: t`Member`,
    means: t`Sees and does what is shared with them, and has files, workflows and runs of their own.`,
  },
  admin: {
    label: t`Administrator`,
    means: t`Has full access to all files, workflows and settings, invites and disables people, and reads the audit log.`,
  },
};

export const roleLabel = (role: Role): string => roles[role].label;
export const roleMeans = (role: Role): string => roles[role].means;

export const roleChoices = (['member', 'admin'] as const).map((value) => ({
  value,
  label: roles[value].label,
}));
