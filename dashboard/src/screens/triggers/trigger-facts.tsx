/** The settings of a trigger, in words. */
import type { Trigger } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Code } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { api } from '../../api.ts';
import { nameOfFolder } from '../../cogs.ts';
import { useNames } from '../../people.ts';
import { scheduleWords } from '../../triggers/cron-choice.ts';
import { presetLabel } from '../../triggers/types.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Facts } from '../../ui/facts.tsx';
import { When } from '../../ui/when.tsx';
import classes from './triggers-screen.module.css';

type Fact = readonly [string, ReactNode];

export function TriggerFacts({ trigger }: { trigger: Trigger }) {
  const names = useNames();
  const { type, url, cog_ids, workflow_version_id, run_as_user_id, created_by, created_at } =
    trigger;
  const own = { schedule: scheduleFacts, webhook: webhookFacts, folder: folderFacts }[type](
    trigger,
  );
  const variables = Object.entries(trigger.extra_variables);
  const common: Fact[] = [
    [
      t`Version`,
      workflow_version_id === undefined ? (
        t`The published one`
      ) : (
        <Version key="version" id={workflow_version_id} />
      ),
    ],
    [
      t`Files`,
      cog_ids.length > 0 ? plural(cog_ids.length, { one: '# item', other: '# items' }) : undefined,
    ],
    [
      t`Variables`,
      variables.length > 0
        ? variables.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(', ')
        : undefined,
    ],
    [t`Runs as`, names(run_as_user_id)],
    [
      t`Made`,
      <span key="made">
        {names(created_by)}, <When at={created_at} />
      </span>,
    ],
  ];
  return (
    <section aria-label={t`Settings`}>
      {url && (
        <div className={classes.url}>
          <CopyField label={t`URL`} value={url} />
        </div>
      )}
      <Facts facts={[...own, ...common]} />
    </section>
  );
}

function Version({ id }: { id: number }) {
  const { data } = useQuery({
    queryKey: ['version of a trigger', id],
    queryFn: () => api.getWorkflowVersion({ path: { version_id: id } }),
  });
  return data ? t`Version ${data.version_number}` : '…';
}

const overlaps = {
  skip: t`leave that time out`,
  queue_one: t`start when it has ended`,
  cancel_running: t`cancel it and start`,
  allow: t`start beside it`,
};
const catchUps = { latest: t`start once`, none: t`leave them out`, all: t`start for each` };

function scheduleFacts({ cron = '', timezone, overlap, catch_up }: Trigger): Fact[] {
  const words = scheduleWords(cron);
  return [
    [
      t({ message: 'Runs', context: 'verb' }),
      words === cron ? <Code key="runs">{cron}</Code> : words,
    ],
    [t`Expression`, words === cron ? undefined : <Code key="cron">{cron}</Code>],
    [t`Time zone`, timezone],
    [t`Still running`, overlap && overlaps[overlap]],
    [t`Missed times`, catch_up && catchUps[catch_up]],
  ];
}

function webhookFacts({ preset, mapping = {}, folder_id }: Trigger): Fact[] {
  const pointers = Object.entries(mapping.extra_variables ?? {});
  return [
    [t`Signed as by`, presetLabel(preset)],
    [
      t`Message gives`,
      pointers.length > 0
        ? pointers.map(([name, pointer]) => t`${name} from ${pointer}`).join(', ')
        : undefined,
    ],
    [t`Message files`, mapping.cog_ids],
    [t`In folder`, folder_id === undefined ? undefined : <Folder key="folder" id={folder_id} />],
  ];
}

function folderFacts({ folder_id, recursive, media_types, debounce_seconds = 0 }: Trigger): Fact[] {
  return [
    [t`Folder`, folder_id === undefined ? undefined : <Folder key="folder" id={folder_id} />],
    [t`Folders below`, recursive ? t`count as well` : t`do not count`],
    [t`Media types`, media_types?.join(', ') ?? t`all`],
    [
      t`Waits`,
      plural(debounce_seconds, {
        one: 'until no file has come for # second',
        other: 'until no file has come for # seconds',
      }),
    ],
  ];
}

function Folder({ id }: { id: number }) {
  const { data, error } = useQuery({
    queryKey: ['folder', id],
    queryFn: () => api.getCog({ path: { id } }),
  });
  if (error) return t`Deleted, or not yours to see`;
  return (
    <Link to="/files/$folderId" params={{ folderId: String(id) }} style={{ color: 'inherit' }}>
      {data ? nameOfFolder(data) : '…'}
    </Link>
  );
}
