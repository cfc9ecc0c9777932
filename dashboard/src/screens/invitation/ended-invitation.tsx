/** A link that lets nobody in any more, or never did: how it ended, and what to do. */
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text, Title } from '@mantine/core';
import { Problem } from '../../ui/await.tsx';

type Ending = { title: string; text: string; verb?: string };

const unknown: Ending = {
  title: t`This link is not a whole invitation`,
  text: t`A part of it may be missing: copy all of it from the mail or the message, to its last letter. If it still does not work, ask for a new one.`,
};

const endings: Record<string, Ending> = {
  invitation_accepted: {
    title: t`This invitation was accepted already`,
    text: t`A link is good for one use. If that was you, sign in with your address and password.`,
    verb: t`Sign in`,
  },
  invitation_replaced: {
    title: t`There is a newer invitation`,
    text: t`This one was replaced. Use the link that you got last.`,
  },
  invitation_revoked: {
    title: t`This invitation was taken back`,
    text: t`Ask whoever invited you for a new one.`,
  },
  invitation_voided: {
    title: t`This invitation has ended`,
    text: t`Whoever sent it may no longer invite. Ask an administrator of the organization for a new one.`,
  },
  invitation_expired: {
    title: t`This invitation has expired`,
    text: t`A link is good for seven days. Ask whoever invited you for a new one.`,
  },
};

type Props = { error: unknown; onRetry: () => unknown; onSignIn: () => void };

export function EndedInvitation({ error, onRetry, onSignIn }: Props) {
  const ending = endingOf(error);
  if (!ending) {
    return (
      <>
        <Title order={1} size="h2" mt="md" mb="md">
          <Trans>Your invitation</Trans>
        </Title>
        <Problem error={error} title={t`It could not be looked up`} onRetry={onRetry} />
      </>
    );
  }
  return (
    <>
      <Title order={1} size="h2" mt="md">
        {ending.title}
      </Title>
      <Text size="sm" mt={8}>
        {ending.text}
      </Text>
      {ending.verb && (
        <Button mt="lg" onClick={onSignIn}>
          {ending.verb}
        </Button>
      )}
    </>
  );
}

/** @returns undefined for what may pass, such as a failure of the network. */
function endingOf(error: unknown): Ending | undefined {
  if (error == null) return unknown;
  if (!(error instanceof ApiError)) return undefined;
  if (error.status === 404 || error.status === 422) return unknown;
  return error.status === 410
    ? (endings[error.code ?? ''] ?? endings.invitation_voided)
    : undefined;
}
