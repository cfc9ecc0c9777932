/** What somebody is invited to. */
import type { OpenInvitation } from '@cogworks/sdk/contract.gen';
import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatMinute } from '../../ui/format.ts';

type Props = { invitation: OpenInvitation; children: ReactNode };

export function InvitationCard({ invitation, children }: Props) {
  const { organization, email, role, expires_at } = invitation;
  return (
    <>
      <Title order={1} size="h2" mt="md" style={{ overflowWrap: 'anywhere' }}>
        Join {organization}
      </Title>
      <Text size="sm" c="var(--faint)" mt={6} mb="lg" style={{ overflowWrap: 'anywhere' }}>
        {email} is invited as {role === 'admin' ? 'an administrator' : 'a member'}. The invitation
        is good until {formatMinute(expires_at)}.
      </Text>
      {children}
    </>
  );
}
