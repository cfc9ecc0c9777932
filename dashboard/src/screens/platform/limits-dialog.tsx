/** Renames an organization, and changes what it may use. */
import type { Tenant } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { api } from '../../api.ts';
import { type PlanName, planLabels } from '../../plans.ts';
import { Problem } from '../../ui/await.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import {
  changesOf,
  faultsIn,
  formOf,
  type LimitsForm,
  warningsOf,
  withPlan,
} from './limits-form.ts';

type Props = { tenant: Tenant; onClose: () => void };

export function LimitsDialog({ tenant, onClose }: Props) {
  const client = useQueryClient();
  const [form, setForm] = useState(() => formOf(tenant));
  const changes = changesOf(form, tenant);
  const faults = faultsIn(form);
  const change = useMutation({
    mutationFn: () => api.changeTenant({ path: { id: tenant.id }, body: changes }),
    onSuccess: async ({ name }) => {
      // First, so that the row shows it when the dialog is gone.
      await client.invalidateQueries({ queryKey: ['tenants'] });
      notifications.show({ message: t`The changes of “${name}” hold from now on.` });
      onClose();
    },
  });
  const isValid = Object.keys(faults).length === 0;
  const isSendable = isValid && Object.keys(changes).length > 0;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isSendable) change.mutate();
  };
  const noLimit = form.plan === tenant.plan ? t`No limit` : t`As in the plan`;
  const field = (name: Exclude<keyof LimitsForm, 'plan'>) => ({
    value: form[name],
    onChange: ({ currentTarget }: { currentTarget: HTMLInputElement }) =>
      setForm({ ...form, [name]: currentTarget.value }),
    error: faults[name],
    autoComplete: 'off',
  });
  return (
    <Dialog opened onClose={onClose} title={t`Limits of “${tenant.name}”`}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          {change.error && <Problem error={change.error} />}
          <TextInput label={t`Name`} maxLength={200} data-autofocus {...field('name')} />
          <Select
            label={t`Plan`}
            description={t`Limits that are given together. Those below apply instead of the plan's.`}
            data={Object.entries(planLabels).map(([value, label]) => ({ value, label }))}
            value={form.plan}
            onChange={(plan) => setForm(withPlan(form, plan as PlanName, tenant))}
            allowDeselect={false}
          />
          <TextInput
            label={t`Credits in a month`}
            description={t`Without them, no run starts.`}
            inputMode="numeric"
            placeholder={noLimit}
            {...field('credits')}
          />
          <TextInput
            label={t`Seats`}
            description={t`Active users and open invitations.`}
            inputMode="numeric"
            placeholder={noLimit}
            {...field('seats')}
          />
          <TextInput
            label={t`Storage, in GB`}
            description={t`Everything counts: earlier versions, the trash, results of runs.`}
            inputMode="decimal"
            placeholder={noLimit}
            {...field('storage_gb')}
          />
          <TextInput
            label={t`Steps at the same time`}
            description={t`How many steps of runs workers may do at once. More wait.`}
            inputMode="numeric"
            placeholder={t`No limit`}
            {...field('running')}
          />
          {(isValid ? warningsOf(form, tenant) : []).map((warning) => (
            <Alert key={warning} color="yellow" p="sm">
              {warning}
            </Alert>
          ))}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" disabled={change.isPending} onClick={onClose}>
              <Trans>Cancel</Trans>
            </Button>
            <Button type="submit" loading={change.isPending} disabled={!isSendable}>
              <Trans>Save</Trans>
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
