/** Settings › API keys. Only NewApiKeyDialog shows the secret, once; this list never has it. */

import type { ApiKey } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, VisuallyHidden } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api.ts';
import { NewButton } from '../../commands/new-button.tsx';
import { Await } from '../../ui/await.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Screen } from '../../ui/screen.tsx';
import table from '../../ui/table.module.css';
import { Tag } from '../../ui/tag.tsx';
import { When } from '../../ui/when.tsx';
import { NewApiKeyDialog } from './new-api-key-dialog.tsx';

export function ApiKeysScreen() {
  const keys = useQuery({
    queryKey: ['api-keys'],
    queryFn: () => api.listApiKeys({ query: { limit: 1000 } }),
  });
  const [isMaking, setMaking] = useState(false);
  const [leaving, setLeaving] = useState<ApiKey>();

  const newKey = (
    <NewButton id="new API key" label={t`New API key`} onNew={() => setMaking(true)} />
  );
  return (
    <Screen
      title={t`API keys`}
      description={t`Programs use a key to work in your name, with your rights. Revoke a key to stop them at once.`}
      actions={newKey}
    >
      <Await query={keys}>
        {(rows) =>
          rows.length === 0 ? (
            <Empty
              icon={<IconKey size={30} stroke={1.5} />}
              title={t`No API keys yet`}
              action={newKey}
            >
              <Trans>
                Make one for each program, so that you can revoke it without disturbing the others.
              </Trans>
            </Empty>
          ) : (
            <ApiKeyTable rows={rows} onRevoke={setLeaving} />
          )
        }
      </Await>
      <NewApiKeyDialog opened={isMaking} onClose={() => setMaking(false)} />
      {leaving && <RevokeDialog apiKey={leaving} onClose={() => setLeaving(undefined)} />}
    </Screen>
  );
}

type TableProps = { rows: readonly ApiKey[]; onRevoke: (key: ApiKey) => void };

function ApiKeyTable({ rows, onRevoke }: TableProps) {
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th>
            <Trans>Description</Trans>
          </th>
          <th>
            <Trans>Key</Trans>
          </th>
          <th className={table.wide}>
            <Trans>Created</Trans>
          </th>
          <th className={table.wide}>
            <Trans>Last used</Trans>
          </th>
          <th className={table.wide}>
            <Trans>Expires</Trans>
          </th>
          <th>
            <VisuallyHidden>
              <Trans>Actions</Trans>
            </VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows
          .toSorted((a, b) => b.id - a.id)
          .map((key) => (
            <tr key={key.id}>
              <td style={{ fontWeight: 520, overflowWrap: 'anywhere' }}>
                {key.description}{' '}
                {key.access === 'read' && (
                  <Tag>
                    <Trans>May only read</Trans>
                  </Tag>
                )}
              </td>
              <td className={table.quiet}>
                <code>{key.key_prefix}…</code>
              </td>
              <td className={`${table.quiet} ${table.wide}`}>
                <When at={key.created_at} />
              </td>
              <td className={`${table.quiet} ${table.wide}`}>
                {key.last_used_at ? <When at={key.last_used_at} /> : t`Never`}
              </td>
              <td className={`${table.quiet} ${table.wide}`}>
                <Expiry at={key.expires_at} />
              </td>
              <td className={table.right}>
                <Button
                  size="compact-sm"
                  variant="subtle"
                  color="red"
                  aria-label={t`Revoke ${key.description}`}
                  onClick={() => onRevoke(key)}
                >
                  <Trans>Revoke</Trans>
                </Button>
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

function Expiry({ at }: { at: string | undefined }) {
  if (at === undefined) return t`Never`;
  if (Date.parse(at) > Date.now()) return <When at={at} />;
  return (
    <Tag>
      <Trans>Expired</Trans>
    </Tag>
  );
}

type RevokeProps = { apiKey: ApiKey; onClose: () => void };

function RevokeDialog({ apiKey, onClose }: RevokeProps) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: number) => api.deleteApiKey({ path: { id } }),
    onSuccess: async () => {
      // Refreshes the list first, so that the focus goes to the row that takes this one's place.
      await client.invalidateQueries({ queryKey: ['api-keys'] });
      onClose();
    },
  });
  return (
    <Confirm
      opened
      title={t`Revoke this API key`}
      verb={t`Revoke`}
      isBusy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate(apiKey.id)}
      onClose={onClose}
    >
      <Trans>
        Programs that use “{apiKey.description}” (<code>{apiKey.key_prefix}…</code>) stop working at
        once. This cannot be undone.
      </Trans>
    </Confirm>
  );
}
