/** What the log can be narrowed to: how its actions begin. */
export const actionGroups = [
  {
    group: 'People',
    items: [
      { value: 'user.', label: 'Accounts, sign-ins and passwords' },
      { value: 'user.signed_in', label: 'Sign-ins' },
      { value: 'invitation.', label: 'Invitations' },
      { value: 'tenant.', label: 'The organization' },
      { value: 'api_key.', label: 'API keys' },
    ],
  },
  {
    group: 'Files',
    items: [
      { value: 'permission.', label: 'Sharing' },
      { value: 'cog', label: 'Files and folders' },
      { value: 'download_url.', label: 'Download links' },
    ],
  },
  {
    group: 'Workflows',
    items: [
      { value: 'workflow', label: 'Workflows, runs and templates' },
      { value: 'trigger.', label: 'Triggers' },
      { value: 'notice.', label: 'Notices' },
      { value: 'worker.', label: 'Workers' },
      { value: 'secret.', label: 'Secrets' },
      { value: 'image.', label: 'Images' },
    ],
  },
  { group: 'This log', items: [{ value: 'audit_events.', label: 'Who read this log' }] },
];
