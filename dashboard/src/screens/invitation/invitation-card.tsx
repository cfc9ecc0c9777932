/** What somebody is invited to. */
import type { OpenInvitation } from '@cogworks/sdk/contract.gen';
import { Trans } from '@lingui/react/macro';
import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { formatMinute } from '../../ui/format.ts';

type Props = { invitation: OpenInvitation; children: ReactNode };

export function InvitationCard({ invitation, children }: Props) {
  const { organization, email, role, expires_at } = invitation;
  const until = formatMinute(expires_at);
  return (
    <>
      <Title order={1} size="h2" mt="md" style={{ overflowWrap: 'anywhere' }}>
        <Trans>Join {organization}</Trans>
      </Title>
      <Text size="sm" c="var(--faint)" mt={6} mb="lg" style={{ overflowWrap: 'anywhere' }}>
        {role === 'admin' ? (
          <Trans>
            {email} is invited as an administrator. The invitation is good until {until}.
          </Trans>
        ) : (
          <Trans>
            {email} is invited as a member. The invitation is good until {until}.
          </Trans>
        )}
      </Text>
      {children}
    </>
  );
}
