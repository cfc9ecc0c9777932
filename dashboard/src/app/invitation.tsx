/**
 * The page behind an invitation's link, for whoever has it, signed in or not. Opening it changes
 * nothing: mail scanners open every link.
 */
import { t } from '@lingui/core/macro';
import { Center, Loader } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { publicApi } from '../api.ts';
import { AcceptForm } from '../screens/invitation/accept-form.tsx';
import { EndedInvitation } from '../screens/invitation/ended-invitation.tsx';
import { InvitationCard } from '../screens/invitation/invitation-card.tsx';
import { SignInThere } from '../screens/invitation/sign-in-there.tsx';
import { SomebodyElse } from '../screens/invitation/somebody-else.tsx';
import { Logo } from './logo.tsx';
import { findVisitor, signInQuietly } from './quiet-sign-in.ts';
import { session } from './session.ts';

export function InvitationPage() {
  const token = useLocation().hash;
  const navigate = useNavigate();
  const client = useQueryClient();
  useEffect(() => {
    document.title = t`Invitation · Cogworks`;
  }, []);
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => publicApi.lookUpInvitation({ body: { token } }),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: token !== '',
  });
  const visitor = useQuery({
    queryKey: ['visitor'],
    // Whether somebody is signed in is good to know, and no reason to refuse the page.
    queryFn: async () => (await findVisitor().catch(() => undefined)) ?? null,
    enabled: invitation.data !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const toSignIn = () => void session.signIn('/files');
  if (token === '' || invitation.error) {
    return (
      <Frame>
        <EndedInvitation
          error={invitation.error}
          onRetry={invitation.refetch}
          onSignIn={toSignIn}
        />
      </Frame>
    );
  }
  if (!invitation.data || visitor.data === undefined) {
    return (
      <Center component="main" mih="100dvh">
        <Loader size="sm" role="status" aria-label={t`Loading`} />
      </Center>
    );
  }
  const { data } = invitation;
  const enter = async (password: string) => {
    // Whatever keeps it from working, the provider's own page says it.
    const isIn = await signInQuietly(data.email, password).catch(() => false);
    if (!isIn) return session.signIn('/files', data.email);
    // What was read for somebody else, if this tab was theirs.
    client.clear();
    return navigate({ to: '/files', replace: true });
  };
  return (
    <Frame>
      <InvitationCard invitation={data}>
        {visitor.data ? (
          <SomebodyElse
            invitation={data}
            me={visitor.data.me}
            signOut={visitor.data.signOut}
            onSignedOut={() => {
              session.forget();
              return visitor.refetch();
            }}
          />
        ) : data.needs === 'sign_in' ? (
          <SignInThere
            email={data.email}
            onSignIn={() => void session.signIn('/files', data.email, data.id)}
          />
        ) : (
          <AcceptForm invitation={data} token={token} onAccepted={enter} />
        )}
      </InvitationCard>
    </Frame>
  );
}

const Frame = ({ children }: { children: React.ReactNode }) => (
  <Center component="main" mih="100dvh" p="md">
    <div style={{ width: '100%', maxWidth: 440 }}>
      <Logo size={34} />
      {children}
    </div>
  </Center>
);
