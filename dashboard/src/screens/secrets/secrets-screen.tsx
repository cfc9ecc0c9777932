/** Settings › Secrets: what steps and pulls get to know. No value ever comes back here. */
import type { Secret } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Code, Menu, Text, VisuallyHidden } from '@mantine/core';
import { IconDots, IconLock, IconPlugConnected, IconReplace, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { NewButton } from '../../commands/new-button.tsx';
import { useMe } from '../../people.ts';
import { Await } from '../../ui/await.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Screen } from '../../ui/screen.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { When } from '../../ui/when.tsx';
import { DeleteSecretDialog } from './delete-secret-dialog.tsx';
import { NewSecretDialog } from './new-secret-dialog.tsx';
import { OwnRegistry } from './own-registry.tsx';
import { ReplaceValueDialog } from './replace-value-dialog.tsx';
import classes from './secrets.module.css';
import { TestConnectionDialog } from './test-connection-dialog.tsx';

type Action = 'replace' | 'test' | 'delete';

export function SecretsScreen() {
  const { data: me } = useMe();
  const secrets = useQuery({
    queryKey: ['secrets'],
    queryFn: () => api.listSecrets({ query: { limit: 1000 } }),
  });
  const [isMaking, setMaking] = useState(false);
  const mayChange = me?.role === 'admin';
  const newSecret = mayChange && (
    <NewButton id="new secret" label={t`New secret`} onNew={() => setMaking(true)} />
  );
  return (
    <Screen
      title={t`Secrets`}
      description={t`Passwords and keys that steps and registries need. They are sealed, and shown to nobody.`}
      actions={newSecret}
    >
      <Await query={secrets}>
        {(rows) => {
          const own = rows.find(({ is_managed, server }) => is_managed && server !== undefined);
          const stored = rows.filter(({ is_managed }) => !is_managed);
          return (
            <>
              {own && me && <OwnRegistry secret={own} me={me} />}
              {stored.length > 0 ? (
                <SecretTable rows={rows} mayChange={mayChange} />
              ) : (
                <NoSecrets action={newSecret} mayChange={mayChange} />
              )}
            </>
          );
        }}
      </Await>
      {isMaking && <NewSecretDialog onClose={() => setMaking(false)} />}
    </Screen>
  );
}

/** How a graph names a secret. */
const inGraphs = '{"$secret": "NAME"}';

const NoSecrets = ({ action, mayChange }: { action: React.ReactNode; mayChange: boolean }) => (
  <Empty
    icon={<IconLock size={30} stroke={1.5} />}
    title={t`No secrets stored yet`}
    action={action}
  >
    <Trans>
      A step gets one where its graph says <Code>{inGraphs}</Code>, and logs never show it. Images
      of other registries need one of the kind “for a registry”.
    </Trans>{' '}
    {!mayChange && t`Administrators store them.`}
  </Empty>
);

type TableProps = { rows: readonly Secret[]; mayChange: boolean };

function SecretTable({ rows, mayChange }: TableProps) {
  const [chosen, setChosen] = useState<{ secret: Secret; action: Action }>();
  const close = () => setChosen(undefined);
  return (
    <>
      <table className={table.table}>
        <thead>
          <tr>
            <th>
              <Trans>Name</Trans>
            </th>
            <th>
              <Trans>For</Trans>
            </th>
            <th className={table.wide}>
              <Trans>Version</Trans>
            </th>
            <th className={table.wide}>
              <Trans>Changed</Trans>
            </th>
            <th className={table.wide}>
              <Trans>Last used</Trans>
            </th>
            {mayChange && (
              <th>
                <VisuallyHidden>
                  <Trans>Actions</Trans>
                </VisuallyHidden>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows
            .toSorted((a, b) => a.name.localeCompare(b.name))
            .map((secret) => (
              <tr key={secret.id}>
                <td>
                  <span className={classes.name}>{secret.name}</span>{' '}
                  {secret.is_managed && (
                    <Tag tone="accent">
                      <Trans>Managed</Trans>
                    </Tag>
                  )}
                </td>
                <td>
                  <Purpose secret={secret} />
                </td>
                <td className={`${table.quiet} ${table.wide}`}>{secret.version}</td>
                <td className={`${table.quiet} ${table.wide}`}>
                  <When at={secret.updated_at} />
                </td>
                <td className={`${table.quiet} ${table.wide}`}>
                  {secret.last_used_at ? <When at={secret.last_used_at} /> : t`Never`}
                </td>
                {mayChange && (
                  <td className={table.right}>
                    {!secret.is_managed && (
                      <RowMenu
                        secret={secret}
                        onChoose={(action) => setChosen({ secret, action })}
                      />
                    )}
                  </td>
                )}
              </tr>
            ))}
        </tbody>
      </table>
      {chosen?.action === 'replace' && (
        <ReplaceValueDialog secret={chosen.secret} onClose={close} />
      )}
      {chosen?.action === 'test' && <TestConnectionDialog secret={chosen.secret} onClose={close} />}
      {chosen?.action === 'delete' && <DeleteSecretDialog secret={chosen.secret} onClose={close} />}
    </>
  );
}

const Purpose = ({ secret: { kind, server } }: { secret: Secret }) =>
  kind === 'registry' ? (
    <>
      <Text span size="sm">
        <Trans>Registry</Trans>
      </Text>{' '}
      <Text span size="sm" c="var(--faint)">
        {server}
      </Text>
    </>
  ) : (
    t`Steps`
  );

type MenuProps = { secret: Secret; onChoose: (action: Action) => void };

const RowMenu = ({ secret: { name, kind }, onChoose }: MenuProps) => (
  <Menu>
    <Menu.Target>
      <ActionIcon aria-label={t`Actions for ${name}`}>
        <IconDots size={18} />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item leftSection={<IconReplace size={16} />} onClick={() => onChoose('replace')}>
        <Trans>Replace the value…</Trans>
      </Menu.Item>
      {kind === 'registry' && (
        <Menu.Item leftSection={<IconPlugConnected size={16} />} onClick={() => onChoose('test')}>
          <Trans>Test the connection</Trans>
        </Menu.Item>
      )}
      <Menu.Item
        c="var(--mantine-color-error)"
        leftSection={<IconTrash size={16} />}
        onClick={() => onChoose('delete')}
      >
        <Trans>Delete…</Trans>
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);
