/** Compares the audit log with its seals, and hands out the newest one, to be kept elsewhere. */
import type { AuditVerification } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, List, Stack, Text, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconShieldCheck } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { Problem } from '../../ui/await.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useVerification } from './queries.ts';
import { comparedWords, faultWords, foundTitle, keptWords, lateWords } from './seal-words.ts';

export function SealsDialog({ onClose }: { onClose: () => void }) {
  const verify = useVerification();
  const [kept, setKept] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    verify.mutate(kept.trim());
  };
  return (
    <Dialog opened onClose={onClose} title={t`Verify the audit log`} size="lg">
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">
            <Trans>
              Events are sealed half a minute after they happened. This compares all of them with
              their seals, and names those that differ.
            </Trans>
          </Text>
          {verify.error && <Problem error={verify.error} />}
          {verify.data && <Result {...verify.data} />}
          <TextInput
            label={t`A seal that you kept`}
            description={t`Optional: it also shows whether the newest events were cut off or sealed again.`}
            value={kept}
            onChange={(event) => setKept(event.currentTarget.value)}
            autoComplete="off"
            spellCheck={false}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={onClose}>
              <Trans>Close</Trans>
            </Button>
            <Button type="submit" loading={verify.isPending}>
              <Trans>Verify</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

function Result({ found, head }: { found: AuditVerification; head: string }) {
  const { is_intact, faults } = found;
  const late = lateWords(found);
  const isGood = is_intact && !late;
  const Icon = isGood ? IconShieldCheck : IconAlertTriangle;
  return (
    <>
      <Alert
        color={isGood ? 'petrol' : is_intact ? 'yellow' : 'red'}
        icon={<Icon size={18} />}
        title={foundTitle(found)}
        role="status"
      >
        <Text size="sm">{comparedWords(found)}</Text>
        {late && <Text size="sm">{late}</Text>}
        {found.kept_head && <Text size="sm">{keptWords[found.kept_head]}</Text>}
        {faults.length > 0 && (
          <List size="sm" mt={6}>
            {faults.map((fault) => (
              <List.Item key={`${fault.fault} ${fault.block} ${fault.event_id}`}>
                {faultWords(fault)}
              </List.Item>
            ))}
          </List>
        )}
      </Alert>
      {is_intact && found.blocks > 0 && (
        <CopyField label={t`The newest seal, to keep elsewhere`} value={head} />
      )}
    </>
  );
}
