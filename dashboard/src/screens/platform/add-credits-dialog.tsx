/** Adds credits to the period under way of an organization, once. */
import type { AddedCredits, Tenant } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { useRequestKey } from '../../request-key.ts';
import { Problem } from '../../ui/await.tsx';
import { formatValue } from '../../ui/charts/values.ts';
import { Dialog } from '../../ui/dialog.tsx';

type Props = { tenant: Tenant; onClose: () => void };

export function AddCreditsDialog({ tenant, onClose }: Props) {
  const { id, name, credits_limit = 0, credits_added = 0, credits_remaining = 0 } = tenant;
  const client = useQueryClient();
  const keyOf = useRequestKey();
  const [text, setText] = useState('');
  const [reason, setReason] = useState('');
  const add = useMutation({
    mutationFn: (body: AddedCredits) =>
      api.addTenantCredits({ path: { id }, body, idempotencyKey: keyOf(body) }),
    onSuccess: async (_, { credits }) => {
      await client.invalidateQueries({ queryKey: ['tenants'] });
      notifications.show({
        message: plural(credits, {
          one: `“${name}” has # credit more until its period ends.`,
          other: `“${name}” has # credits more until its period ends.`,
        }),
      });
      onClose();
    },
  });
  const isNumber = /^\s*[1-9]\d{0,8}\s*$/.test(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isNumber && !add.isPending)
      add.mutate({ credits: Number(text), ...(reason.trim() && { reason: reason.trim() }) });
  };
  const left = formatValue(credits_remaining, 'credits');
  const limit = formatValue(credits_limit, 'credits');
  const added = formatValue(credits_added, 'credits');
  return (
    <Dialog opened onClose={onClose} title={t`Add credits to “${name}”`}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {add.error && <Problem error={add.error} />}
          <Text size="sm">
            {credits_added === 0
              ? t`${left} are left in this period; its limit is ${limit}.`
              : t`${left} are left in this period; its limit is ${limit}, and ${added} were added.`}{' '}
            <Trans>What you add ends with the period; the next one begins with the limit.</Trans>
          </Text>
          <TextInput
            label={t`Credits`}
            inputMode="numeric"
            autoComplete="off"
            data-autofocus
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            error={text.trim() === '' || isNumber ? undefined : t`A whole number from 1 on.`}
          />
          <TextInput
            label={t`Reason`}
            description={t`Its administrators read it in their audit log. It may be empty.`}
            maxLength={500}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <Group justify="flex-end" gap="sm">
            <Button variant="default" disabled={add.isPending} onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" loading={add.isPending} disabled={!isNumber}>
              <Trans>Add credits</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
