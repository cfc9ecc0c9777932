/** What the log can be narrowed to: how its actions begin. */
import { t } from '@lingui/core/macro';

export const actionGroups = [
  {
    group: t`People`,
    items: [
      { value: 'user.', label: t`Accounts, sign-ins and passwords` },
      { value: 'user.signed_in', label: t`Sign-ins` },
      { value: 'invitation.', label: t`Invitations` },
      { value: 'tenant.', label: t`The organization` },
      { value: 'api_key.', label: t`API keys` },
    ],
  },
  {
    group: t`Files`,
    items: [
      { value: 'permission.', label: t`Sharing` },
      { value: 'cog', label: t`Files and folders` },
      { value: 'download_url.', label: t`Download links` },
    ],
  },
  {
    group: t`Workflows`,
    items: [
      { value: 'workflow', label: t`Workflows, runs and templates` },
      { value: 'trigger.', label: t`Triggers` },
      { value: 'notice.', label: t`Notices` },
      { value: 'worker.', label: t`Workers` },
      { value: 'secret.', label: t`Secrets` },
      { value: 'image.', label: t`Images` },
    ],
  },
  { group: t`This log`, items: [{ value: 'audit_events.', label: t`Who read this log` }] },
];
