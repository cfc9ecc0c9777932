/** Tries the credentials of a registry, and says what came of it. */
import type { Secret, SecretTest } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Loader, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Tag } from '../../ui/tag.tsx';

type Props = { secret: Secret; onClose: () => void };

export function TestConnectionDialog({ secret, onClose }: Props) {
  const { id, name, server = '' } = secret;
  // Once for each time the dialog is opened: it calls the registry, and is written down.
  const test = useQuery({
    queryKey: ['secret-test', id],
    queryFn: () => api.testSecret({ path: { id } }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <Dialog opened onClose={onClose} title={t`Test ${name}`}>
      <Stack gap="lg">
        <div aria-live="polite">
          {test.isFetching ? (
            <Group gap="sm" wrap="nowrap">
              <Loader size="sm" />
              <Text size="sm">
                <Trans>
                  Contacting {server} with version {secret.version} …
                </Trans>
              </Text>
            </Group>
          ) : test.error ? (
            <Problem error={test.error} />
          ) : (
            test.data && <Result test={test.data} />
          )}
        </div>
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={test.isFetching} onClick={() => test.refetch()}>
            <Trans>Test again</Trans>
          </Button>
          <Button onClick={onClose}>
            <Trans>Close</Trans>
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

const words: Record<SecretTest['outcome'], string> = {
  reached: t`Connected`,
  no_credentials_needed: t`Not checked`,
  unauthorized: t`Refused`,
  unreachable: t`Not reached`,
  no_tls: t`No TLS`,
  untrusted_certificate: t`Not trusted`,
  no_registry: t`No registry`,
};

const toneOf = (outcome: SecretTest['outcome']) =>
  outcome === 'reached' ? 'good' : outcome === 'no_credentials_needed' ? 'idle' : 'bad';

const Result = ({ test: { outcome, message } }: { test: SecretTest }) => (
  <Stack gap="xs" align="flex-start">
    <Tag tone={toneOf(outcome)}>{words[outcome]}</Tag>
    <Text size="sm">{message}</Text>
    <Text size="sm" c="var(--faint)">
      <Trans>As seen from the server. Workers on other machines may reach other networks.</Trans>
    </Text>
  </Stack>
);
