/** The settings of a trigger, in words. */
import type { Trigger } from '@cogworks/sdk/contract.gen';
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
import { plural } from '../../ui/format.ts';
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
      'Version',
      workflow_version_id === undefined ? (
        'The published one'
      ) : (
        <Version key="version" id={workflow_version_id} />
      ),
    ],
    ['Files', cog_ids.length > 0 ? plural(cog_ids.length, 'item') : undefined],
    [
      'Variables',
      variables.length > 0
        ? variables.map(([name, value]) => `${name} = ${JSON.stringify(value)}`).join(', ')
        : undefined,
    ],
    ['Runs as', names(run_as_user_id)],
    [
      'Made',
      <span key="made">
        {names(created_by)}, <When at={created_at} />
      </span>,
    ],
  ];
  return (
    <section aria-label="Settings">
      {url && (
        <div className={classes.url}>
          <CopyField label="URL" value={url} />
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
  return data ? `Version ${data.version_number}` : '…';
}

const overlaps = {
  skip: 'leave that time out',
  queue_one: 'start when it has ended',
  cancel_running: 'cancel it and start',
  allow: 'start beside it',
};
const catchUps = { latest: 'start once', none: 'leave them out', all: 'start for each' };

function scheduleFacts({ cron = '', timezone, overlap, catch_up }: Trigger): Fact[] {
  const words = scheduleWords(cron);
  return [
    ['Runs', words === cron ? <Code key="runs">{cron}</Code> : words],
    ['Expression', words === cron ? undefined : <Code key="cron">{cron}</Code>],
    ['Time zone', timezone],
    ['Still running', overlap && overlaps[overlap]],
    ['Missed times', catch_up && catchUps[catch_up]],
  ];
}

function webhookFacts({ preset, mapping = {}, folder_id }: Trigger): Fact[] {
  const pointers = Object.entries(mapping.extra_variables ?? {});
  return [
    ['Signed as by', presetLabel(preset)],
    [
      'Message gives',
      pointers.length > 0
        ? pointers.map(([name, pointer]) => `${name} from ${pointer}`).join(', ')
        : undefined,
    ],
    ['Message files', mapping.cog_ids],
    ['In folder', folder_id === undefined ? undefined : <Folder key="folder" id={folder_id} />],
  ];
}

function folderFacts({ folder_id, recursive, media_types, debounce_seconds = 0 }: Trigger): Fact[] {
  return [
    ['Folder', folder_id === undefined ? undefined : <Folder key="folder" id={folder_id} />],
    ['Folders below', recursive ? 'count as well' : 'do not count'],
    ['Media types', media_types?.join(', ') ?? 'all'],
    ['Waits', `until no file has come for ${plural(debounce_seconds, 'second')}`],
  ];
}

function Folder({ id }: { id: number }) {
  const { data, error } = useQuery({
    queryKey: ['folder', id],
    queryFn: () => api.getCog({ path: { id } }),
  });
  if (error) return 'Deleted, or not yours to see';
  return (
    <Link to="/files/$folderId" params={{ folderId: String(id) }} style={{ color: 'inherit' }}>
      {data ? nameOfFolder(data) : '…'}
    </Link>
  );
}
