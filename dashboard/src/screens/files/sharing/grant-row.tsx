/** One person's access: by a grant here, which can be changed, or by one on a folder above. */

import type { Permission, User } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Avatar, Button, Group, Text, Tooltip } from '@mantine/core';
import { IconPencil, IconX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { fullName } from '../../../people.ts';
import { Problem } from '../../../ui/await.tsx';
import { GrantForm } from './grant-form.tsx';
import { fieldsOf, type GrantFields, levelLabel, particulars } from './grants.ts';
import classes from './sharing.module.css';

type Props = {
  grant: Permission;
  user: User | undefined;
  isMe: boolean;
  /** The folder that it is on, if that is above. */
  folder: string | undefined;
  mayChange: boolean;
  isBusy: boolean;
  onChange: (fields: GrantFields, done: () => void) => void;
  onRevoke: () => void;
  /** A link to another folder was followed. */
  onLeave: () => void;
  error: unknown;
};

export function GrantRow(props: Props) {
  const { grant, user, isMe, mayChange, onChange, onRevoke, isBusy, error } = props;
  const [fields, setFields] = useState<GrantFields>();
  const name = user ? fullName(user) : t`User ${grant.user_id}`;
  return (
    <li className={classes.grant} data-quiet={grant.inherited || grant.overridden || undefined}>
      <div className={classes.line}>
        <Avatar name={name} color="petrol" size={32} radius="xl" aria-hidden />
        <div className={classes.person}>
          <Text size="sm" fw={540} truncate>
            {isMe ? t`${name} (you)` : name}
          </Text>
          <Text size="xs" c="var(--faint)" className={classes.why}>
            <Why {...props} />
          </Text>
        </div>
        <span className={classes.level}>{levelLabel(grant.level)}</span>
        {mayChange && !grant.inherited && (
          <Group gap={2} wrap="nowrap">
            <Tooltip label={t`Change`}>
              <ActionIcon
                aria-label={t`Change the access of ${name}`}
                aria-expanded={fields !== undefined}
                onClick={() => setFields(fields ? undefined : fieldsOf(grant))}
              >
                <IconPencil size={17} />
              </ActionIcon>
            </Tooltip>
            <Tooltip label={t`Take back`}>
              <ActionIcon
                aria-label={t`Take back the access of ${name}`}
                disabled={isBusy}
                onClick={onRevoke}
              >
                <IconX size={17} />
              </ActionIcon>
            </Tooltip>
          </Group>
        )}
      </div>
      {error != null && <Problem error={error} />}
      {fields && (
        <form
          className={classes.edit}
          onSubmit={(event) => {
            event.preventDefault();
            onChange(fields, () => setFields(undefined));
          }}
        >
          <GrantForm fields={fields} onChange={setFields} />
          <Group justify="flex-end" gap="sm" mt="sm">
            <Button size="xs" variant="default" onClick={() => setFields(undefined)}>
              <Trans>Cancel</Trans>
            </Button>
            <Button size="xs" type="submit" loading={isBusy}>
              <Trans>Save</Trans>
            </Button>
          </Group>
        </form>
      )}
    </li>
  );
}

/** Where the access comes from, and what is particular about it. */
function Why({ grant, folder, user, onLeave }: Props) {
  const more = particulars(grant, new Date());
  const words = [
    ...(user?.status === 'disabled' ? [t`disabled`] : []),
    ...more,
    ...(grant.overridden ? [t`replaced by a nearer grant`] : []),
  ].join(', ');
  if (!grant.inherited) return words || (user && fullName(user) !== user.email && user.email);
  return (
    <>
      {folder === undefined || grant.inherited_from === undefined ? (
        t`from a folder above`
      ) : (
        <Trans>
          from{' '}
          <Link
            to="/files/$folderId"
            params={{ folderId: String(grant.inherited_from) }}
            onClick={onLeave}
          >
            {folder}
          </Link>
        </Trans>
      )}
      {words && `, ${words}`}
    </>
  );
}
