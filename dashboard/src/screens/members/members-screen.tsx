/** Settings › Members: the people of the organization, whom it has invited, and its name. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch, IconUserPlus, IconUsers } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { NewButton } from '../../commands/new-button.tsx';
import { useMe } from '../../people.ts';
import { Await } from '../../ui/await.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Screen } from '../../ui/screen.tsx';
import { Invitations } from './invitations.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { MemberTable } from './member-table.tsx';
import classes from './members.module.css';
import { OrganizationName } from './organization-name.tsx';
import { useMembers } from './queries.ts';
import { Seats } from './seats.tsx';

export function MembersScreen() {
  const { data: me } = useMe();
  const isAdmin = me?.role === 'admin';
  const { q = '' } = useSearch({ strict: false });
  const [isInviting, setInviting] = useState(false);
  return (
    <Screen
      title={t`Members`}
      description={<OrganizationName mayRename={isAdmin} />}
      actions={
        isAdmin && (
          <NewButton
            id="invite"
            label={t`Invite`}
            words={t`somebody new member`}
            icon={IconUserPlus}
            onNew={() => setInviting(true)}
          />
        )
      }
    >
      <div className={classes.tools}>
        <SearchField q={q} />
        <Seats />
      </div>
      <Members q={q} isAdmin={isAdmin} />
      {isAdmin && <Invitations />}
      {isInviting && <InviteDialog onClose={() => setInviting(false)} />}
    </Screen>
  );
}

function SearchField({ q }: { q: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState(q);
  const search = useDebouncedCallback((wanted: string) => {
    void navigate({ to: '.', search: { q: wanted.trim() || undefined } as never, replace: true });
  }, 200);
  return (
    <TextInput
      type="search"
      aria-label={t`Search members`}
      placeholder={t`Name or e-mail address`}
      leftSection={<IconSearch size={16} />}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        search(currentTarget.value);
      }}
      className={classes.search}
    />
  );
}

function Members({ q, isAdmin }: { q: string; isAdmin: boolean }) {
  const members = useMembers(q);
  return (
    <Await query={members}>
      {({ pages }) => {
        const rows = pages.flatMap((page) => page.rows);
        if (rows.length === 0) return <NobodyFound />;
        return (
          <>
            <MemberTable rows={rows} isAdmin={isAdmin} />
            {members.hasNextPage && (
              <Button
                variant="subtle"
                fullWidth
                mt="md"
                loading={members.isFetchingNextPage}
                onClick={() => void members.fetchNextPage()}
              >
                <Trans>Show more</Trans>
              </Button>
            )}
          </>
        );
      }}
    </Await>
  );
}

const NobodyFound = () => (
  <Empty icon={<IconUsers size={30} stroke={1.5} />} title={t`Nobody is called like that`}>
    <Trans>
      The search looks at names and e-mail addresses. Whoever is invited is here once they accept.
    </Trans>
  </Empty>
);
