/** Who has access to a file or folder and why, and sharing it with others. */

import type { Cog, Permission, User } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../../api.ts';
import { nameOfFolder } from '../../../cogs.ts';
import { fullName, useAdmins, useMe, useUsers } from '../../../people.ts';
import { Await, LoadingRows, Problem } from '../../../ui/await.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { useGive, useGrants, useTake } from './grant-changes.ts';
import { GrantForm } from './grant-form.tsx';
import { GrantRow } from './grant-row.tsx';
import { newGrant } from './grants.ts';
import { PeopleField } from './people-field.tsx';
import classes from './sharing.module.css';

export function ShareDialog({ cog, onClose }: { cog: Cog; onClose: () => void }) {
  const grants = useGrants(cog.id);
  const name = nameOfFolder(cog);
  return (
    <Dialog
      opened
      onClose={onClose}
      size="lg"
      title={cog.access.can_share ? t`Share “${name}”` : t`Who has access to “${name}”`}
    >
      {/* Not after the list has loaded: it takes the focus when the dialog opens. */}
      {cog.access.can_share && <ShareForm cog={cog} grants={grants.data} />}
      <Await query={grants} loading={<LoadingRows rows={3} />}>
        {(all) => <GrantList cog={cog} grants={all} onLeave={onClose} />}
      </Await>
    </Dialog>
  );
}

type Props = { cog: Cog; grants: readonly Permission[] };

type FormProps = { cog: Cog; grants: readonly Permission[] | undefined };

function ShareForm({ cog, grants }: FormProps) {
  const [users, setUsers] = useState<readonly User[]>([]);
  const [fields, setFields] = useState(newGrant);
  const give = useGive(cog, grants ?? []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    give.mutate(
      { users, fields },
      {
        onSuccess: () => {
          setUsers([]);
          setFields(newGrant);
        },
      },
    );
  };
  return (
    <form onSubmit={submit} className={classes.form}>
      <PeopleField chosen={users} onChoose={setUsers} />
      {users.length > 0 && <GrantForm fields={fields} onChange={setFields} />}
      {give.error && <Problem error={give.error} />}
      {users.length > 0 && (
        <Group justify="flex-end">
          <Button type="submit" loading={give.isPending} disabled={!grants}>
            {users.length === 1
              ? t`Share`
              : plural(users.length, {
                  one: 'Share with # person',
                  other: 'Share with # people',
                })}
          </Button>
        </Group>
      )}
    </form>
  );
}

function GrantList({ cog, grants, onLeave }: Props & { onLeave: () => void }) {
  const { data: me } = useMe();
  const userOf = useUsers();
  const path = useQuery({
    queryKey: ['path', cog.id],
    queryFn: () => api.getCogPath({ path: { id: cog.id } }),
  });
  const give = useGive(cog, grants);
  const take = useTake(cog);
  const folderOf = (id: number | undefined) => {
    const folder = path.data?.find((one) => one.id === id);
    return folder && nameOfFolder(folder);
  };
  return (
    <section aria-labelledby="who-has-access">
      <Title order={2} size="h6" id="who-has-access" className={classes.heading}>
        <Trans>Who has access</Trans>
      </Title>
      <ul className={classes.grants}>
        {grants.map((grant) => {
          const user = userOf(grant.user_id);
          return (
            <GrantRow
              key={grant.permission_id}
              grant={grant}
              user={user}
              isMe={grant.user_id === me?.id}
              folder={folderOf(grant.inherited_from)}
              onLeave={onLeave}
              mayChange={cog.access.can_share}
              isBusy={give.isPending || take.isPending}
              onChange={(fields, done) =>
                user && give.mutate({ users: [user], fields }, { onSuccess: done })
              }
              onRevoke={() =>
                take.mutate({ grant, name: user ? fullName(user) : t`User ${grant.user_id}` })
              }
              error={
                give.variables?.users[0]?.id === grant.user_id
                  ? give.error
                  : take.variables?.grant.permission_id === grant.permission_id
                    ? take.error
                    : null
              }
            />
          );
        })}
      </ul>
      <Admins />
    </section>
  );
}

/** They need no grant, so none is listed. */
function Admins() {
  const admins = useAdmins();
  if (admins.length === 0) return null;
  const few = admins.slice(0, 3).map(fullName).join(', ');
  const others = admins.length - 3;
  return (
    <Text size="sm" c="var(--faint)" mt="sm">
      {others > 0
        ? plural(others, {
            one: `Administrators have full access to everything: ${few} and # other.`,
            other: `Administrators have full access to everything: ${few} and # others.`,
          })
        : t`Administrators have full access to everything: ${few}.`}
    </Text>
  );
}
