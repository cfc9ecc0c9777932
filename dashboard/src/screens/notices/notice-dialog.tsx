/** Makes a notice or changes one: which URL is told, or that I get a mail, of which ends, of which runs. */
import type { Notice } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  Button,
  Checkbox,
  Group,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type FormEvent, useState } from 'react';
import { useMe } from '../../people.ts';
import { Problem } from '../../ui/await.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { useOnlyHere } from '../../ui/only-here.ts';
import { SecretToSave } from '../../ui/secret-to-save.tsx';
import { useWorkflows } from '../../workflows.ts';
import { useChange, useCreation } from './queries.ts';
import { allEvents, eventLabels, type NoticeEvent, nameOf } from './words.ts';

type Props = {
  /** The one to change; a new one without. */
  notice?: Notice;
  onClose: () => void;
};

export function NoticeDialog({ notice, onClose }: Props) {
  const create = useCreation();
  const name = notice && nameOf(notice);
  const secret = create.data?.secret;
  // The secret exists or is being made, and is shown only here.
  const isOnlyHere =
    secret !== undefined || (create.isPending && create.variables.by_mail !== true);
  const { isWarned, warn } = useOnlyHere(isOnlyHere);
  return (
    <Dialog
      opened
      onClose={isOnlyHere ? warn : onClose}
      withCloseButton={!isOnlyHere}
      title={secret ? t`Your new notice` : name !== undefined ? t`Change “${name}”` : t`New notice`}
    >
      {secret ? (
        <SecretToSave
          what="secret"
          note={t`The receiver checks with it that messages are from here, as Standard Webhooks say.`}
          isWarned={isWarned}
          onDone={onClose}
        >
          <CopyField label={t`Secret`} value={secret} />
        </SecretToSave>
      ) : (
        <NoticeForm notice={notice} create={create} onClose={onClose} />
      )}
    </Dialog>
  );
}

type Form = {
  by_mail: boolean;
  name: string;
  url: string;
  events: NoticeEvent[];
  workflow: string;
};

const formOf = (notice: Notice | undefined): Form => ({
  by_mail: notice?.by_mail ?? false,
  name: notice?.name ?? '',
  url: notice?.url ?? '',
  events: notice?.events ?? ['run.failure', 'run.partial_success'],
  workflow: String(notice?.workflow_id ?? ''),
});

type FormProps = {
  notice: Notice | undefined;
  create: ReturnType<typeof useCreation>;
  onClose: () => void;
};

function NoticeForm({ notice, create, onClose }: FormProps) {
  const [form, setForm] = useState<Form>(() => formOf(notice));
  const update = useChange(notice?.id ?? 0);
  const { error, isPending, reset } = notice ? update : create;
  const change = (changes: Partial<Form>) => {
    // What was wrong with it is not what is wrong with this.
    if (error) reset();
    setForm((old) => ({ ...old, ...changes }));
  };
  const isReady = (form.by_mail || form.url.trim() !== '') && form.events.length > 0;
  const onMailed = () => {
    notifications.show({ message: t`The notice is made. Its page sends a test, to try it out.` });
    onClose();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isReady) return;
    const name = form.name.trim();
    const url = form.by_mail ? {} : { url: form.url.trim() };
    const workflow_id = form.workflow === '' ? undefined : Number(form.workflow);
    const { events, by_mail } = form;
    if (!notice)
      return create.mutate(
        { ...(name && { name }), ...(by_mail ? { by_mail } : url), events, workflow_id },
        // There is no secret to show.
        by_mail ? { onSuccess: onMailed } : {},
      );
    update.mutate(
      { name: name || null, ...url, events, workflow_id: workflow_id ?? null },
      { onSuccess: onClose },
    );
  };
  const urlFault = faultOf(error, 'url');
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {error != null && urlFault === undefined && <Problem error={error} />}
        {!notice && (
          <WayField isByMail={form.by_mail} onChange={(by_mail) => change({ by_mail })} />
        )}
        {!form.by_mail && (
          <TextInput
            label={t`URL`}
            description={t`Begins with https:// and leads to a public address.`}
            placeholder={t`https://example.com/hooks/cogworks`}
            type="url"
            value={form.url}
            onChange={(event) => change({ url: event.currentTarget.value })}
            error={urlFault}
            maxLength={2000}
            data-autofocus
          />
        )}
        <TextInput
          label={t`Name`}
          description={
            form.by_mail
              ? t`Without one it is called “Mail”.`
              : t`Without one it is called like its host.`
          }
          value={form.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          maxLength={200}
        />
        <Checkbox.Group
          label={t`When a run`}
          value={form.events}
          onChange={(events) => change({ events: events as NoticeEvent[] })}
          error={form.events.length === 0 ? t`Choose at least one.` : undefined}
        >
          <Stack gap={8} mt={8} mb={form.events.length === 0 ? 8 : 0}>
            {allEvents.map((one) => (
              <Checkbox key={one} value={one} label={eventLabels[one]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <WorkflowField value={form.workflow} onChange={(workflow) => change({ workflow })} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" disabled={isPending} onClick={onClose}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={isPending} disabled={!isReady}>
            {notice ? t`Save` : t`Create notice`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type WayProps = { isByMail: boolean; onChange: (isByMail: boolean) => void };

/** Only where mails can be sent; and to nobody else, so that nobody gets mails they did not ask for. */
function WayField({ isByMail, onChange }: WayProps) {
  const { data: me } = useMe();
  if (!me?.gets_mail) return null;
  return (
    <div>
      <SegmentedControl
        fullWidth
        aria-label={t`How it is sent`}
        data={[
          { value: 'url', label: t`To a URL` },
          { value: 'mail', label: t`By mail to me` },
        ]}
        value={isByMail ? 'mail' : 'url'}
        onChange={(way) => onChange(way === 'mail')}
      />
      <Text size="sm" c="var(--faint)" mt={8}>
        {isByMail
          ? t`To ${me.email}, at most 50 mails in an hour.`
          : t`For another program: a signed message for each run.`}
      </Text>
    </div>
  );
}

type FieldProps = { value: string; onChange: (value: string) => void };

function WorkflowField({ value, onChange }: FieldProps) {
  const { data = [] } = useWorkflows();
  return (
    <Select
      label={t({ message: 'Of', context: 'runs of a workflow' })}
      searchable
      data={[
        { value: '', label: t`All workflows` },
        ...data.map((one) => ({ value: String(one.id), label: one.name })),
      ]}
      value={value}
      onChange={(chosen) => onChange(chosen ?? '')}
      allowDeselect={false}
    />
  );
}

/** The service's words about a field. */
function faultOf(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.fields.find(({ loc }) => loc[1] === field)?.msg;
}
