/** Makes a trigger or changes one: what fires it, what it starts, and with what. */
import type { CreatedTrigger, Trigger } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { Problem } from '../ui/await.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { useOnlyHere } from '../ui/only-here.ts';
import { ownZone } from '../ui/zones.ts';
import { CreatedWebhook } from './created-webhook.tsx';
import { FolderFields } from './folder-fields.tsx';
import { useChangeTrigger, useCreateTrigger } from './queries.ts';
import { ScheduleFields } from './schedule-fields.tsx';
import {
  formOf,
  missingValues,
  ownValues,
  pointersOf,
  shownValues,
  type TriggerForm,
  type TriggerStart,
  typeFields,
} from './trigger-form.ts';
import { TriggerParts } from './trigger-parts.tsx';
import { WebhookFields } from './webhook-fields.tsx';
import { useRunnable, WhatRuns } from './what-runs.tsx';

type Props = {
  /** What a new one begins with; with an id the trigger to change. */
  subject: TriggerStart;
  onClose: () => void;
};

export function TriggerDialog({ subject, onClose }: Props) {
  const create = useCreateTrigger();
  const made = create.data?.secret === undefined ? undefined : create.data;
  // A secret that exists or is being made, and is shown only here.
  const isOnlyHere = made !== undefined || (create.isPending && subject.type === 'webhook');
  const { isWarned, warn } = useOnlyHere(isOnlyHere);
  return (
    <Dialog
      opened
      size="lg"
      onClose={isOnlyHere ? warn : onClose}
      withCloseButton={!isOnlyHere}
      title={titleOf(subject, made)}
    >
      {made ? (
        <CreatedWebhook trigger={made} isWarned={isWarned} onDone={onClose} />
      ) : (
        <TriggerEditor subject={subject} create={create} onClose={onClose} />
      )}
    </Dialog>
  );
}

function titleOf({ id, type, name = '' }: TriggerStart, made: CreatedTrigger | undefined): string {
  if (made) return t`Your new webhook`;
  if (id !== undefined) return t`Change “${name}”`;
  return newTitles[type];
}

const newTitles: Record<TriggerStart['type'], string> = {
  schedule: t`New schedule`,
  webhook: t`New webhook`,
  folder: t`New trigger: new files`,
};

type EditorProps = Props & { create: ReturnType<typeof useCreateTrigger> };

function TriggerEditor({ subject, create, onClose }: EditorProps) {
  const { id, type } = subject;
  const [form, setForm] = useState<TriggerForm>(() => formOf(subject, ownZone()));
  const change = (changes: Partial<TriggerForm>) => setForm((old) => ({ ...old, ...changes }));
  const runnable = useRunnable(form);
  const save = useSaving(subject, create, onClose);
  const variables = runnable.variables ?? [];
  const stored = form.workflow_id === subject.workflow_id ? (subject.extra_variables ?? {}) : {};
  const values = shownValues(variables, stored, form.values);
  const missing = runnable.variables
    ? missingValues(variables, values, type === 'webhook' ? form.pointers : {})
    : [];
  const hindrance = whyNot(type, form, missing, runnable.version?.input_count ?? 0);
  const parts = { form, onChange: change, faults: save.faults };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    // A dialog inside this one is a form too.
    event.stopPropagation();
    if (hindrance !== undefined) return;
    save.submit({
      name: form.name.trim(),
      workflow_id: form.workflow_id,
      workflow_version_id: form.workflow_version_id,
      cog_ids: [...form.cog_ids],
      extra_variables: runnable.variables ? ownValues(variables, values) : stored,
      ...typeFields(type, runnable.variables ? pointersOf(form, variables) : form),
      ...(id === undefined && type === 'webhook' && { preset: form.preset }),
      ...(form.secret && { secret: form.secret }),
    });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {save.error != null && <Problem error={save.error} />}
        <TextInput
          label={t`Name`}
          placeholder={names[type]}
          value={form.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          maxLength={200}
          data-autofocus
        />
        {type === 'schedule' && <ScheduleFields {...parts} />}
        {type === 'folder' && <FolderFields {...parts} />}
        {type === 'webhook' && <WebhookFields {...parts} isNew={id === undefined} />}
        <WhatRuns choice={form} onChange={change} />
        <TriggerParts {...parts} type={type} variables={runnable.variables} values={values} />
        <Group justify="flex-end" gap="sm">
          {hindrance !== undefined && (
            <Text size="sm" c="var(--faint)" ta="right" w={{ base: '100%', xs: 'auto' }}>
              {hindrance}
            </Text>
          )}
          <Button variant="default" onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={save.isPending} disabled={hindrance !== undefined}>
            {id === undefined ? t`Create trigger` : t`Save`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const names = { schedule: t`Scans of the day`, webhook: t`Orders`, folder: t`New scans` };

/** Why it cannot be saved, as far as it is known without asking. */
function whyNot(
  type: TriggerStart['type'],
  form: TriggerForm,
  missing: readonly string[],
  input_count: number,
): string | undefined {
  if (form.name.trim() === '') return t`Give it a name.`;
  if (type === 'folder' && form.folder_id === undefined) return t`Choose a folder.`;
  if (form.workflow_id === undefined) return t`Choose a workflow.`;
  if (missing.length > 0) {
    const variables = missing.join(', ');
    return t`Give a value for ${variables}.`;
  }
  const hasFiles = form.cog_ids.length > 0 || type === 'folder' || form.cogPointer !== '';
  return input_count > 0 && !hasFiles ? t`Choose at least one file.` : undefined;
}

type Body = Omit<Parameters<ReturnType<typeof useCreateTrigger>['mutate']>[0], 'type'>;

/** Creates or changes, and says what was wrong: beside a field if it has one here, else above. */
function useSaving(
  { id, type }: TriggerStart,
  create: ReturnType<typeof useCreateTrigger>,
  onDone: () => void,
) {
  const change = useChangeTrigger();
  const { error } = id === undefined ? create : change;
  const faults = error instanceof ApiError ? error.fields : [];
  const isBeside = faults.length > 0 && faults.every(({ loc }) => beside.has(String(loc[1])));
  const submit = (body: Body) => {
    if (id !== undefined) {
      const { preset: _preset, secret: _secret, ...changes } = body;
      const workflow_version_id = body.workflow_version_id ?? null;
      const folder = type === 'webhook' ? { folder_id: body.folder_id ?? null } : {};
      change.mutate(
        { id, changes: { ...changes, ...folder, workflow_version_id } },
        { onSuccess: onDone },
      );
      return;
    }
    create.mutate(
      { ...body, type },
      {
        onSuccess: ({ secret, warnings = [] }: CreatedTrigger) => {
          for (const message of warnings) {
            notifications.show({ color: 'yellow', title: t`Note`, message, autoClose: false });
          }
          if (secret === undefined) onDone();
        },
      },
    );
  };
  return {
    submit,
    isPending: create.isPending || change.isPending,
    error: isBeside ? null : error,
    faults,
  };
}

/** Fields that show their own faults. */
const beside = new Set<keyof Trigger | 'secret'>([
  ...(['folder_id', 'media_types', 'debounce_seconds', 'mapping'] as const),
  'secret',
]) as ReadonlySet<string>;
