/** Which workflow a trigger starts: its published version, whichever that is then, or one of them. */
import type { Variable, WorkflowVersionSummary as Version } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Select, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api.ts';
import { Await, LoadingRows } from '../ui/await.tsx';
import { useVersions, useWorkflows } from '../workflows.ts';
import type { TriggerForm } from './trigger-form.ts';

type Choice = Pick<TriggerForm, 'workflow_id' | 'workflow_version_id'>;

/** The version that would run now, and its variables as far as they are known. */
export function useRunnable({ workflow_id, workflow_version_id }: Choice) {
  const versions = useVersions(workflow_id);
  const version = versions.data?.find((one) =>
    workflow_version_id === undefined ? one.state === 'published' : one.id === workflow_version_id,
  );
  const variables = useQuery({
    queryKey: ['variables', version?.id],
    queryFn: () => api.listVersionVariables({ path: { version_id: version?.id ?? 0 } }),
    enabled: version !== undefined,
  });
  return { version, variables: variables.data };
}

export type Runnable = {
  version: Version | undefined;
  variables: readonly Variable[] | undefined;
};

type Props = { choice: Choice; onChange: (choice: Choice) => void };

export function WhatRuns({ choice, onChange }: Props) {
  const workflows = useWorkflows();
  const { workflow_id } = choice;
  return (
    <Stack gap="md">
      <Await query={workflows} loading={<LoadingRows rows={1} />}>
        {(rows) => (
          <Select
            label={t`Workflow`}
            placeholder={t`Choose a workflow`}
            searchable
            data={rows
              .filter((one) => one.latest_version_id !== undefined)
              .map((one) => ({ value: String(one.id), label: one.name }))}
            value={workflow_id === undefined ? null : String(workflow_id)}
            onChange={(value) => {
              const chosen = rows.find((one) => String(one.id) === value);
              if (!chosen) return;
              const isPublished = chosen.published_version_id !== undefined;
              onChange({
                workflow_id: chosen.id,
                workflow_version_id: isPublished ? undefined : chosen.latest_version_id,
              });
            }}
            nothingFoundMessage={t`No such workflow`}
            allowDeselect={false}
          />
        )}
      </Await>
      {workflow_id !== undefined && <VersionChoice choice={choice} onChange={onChange} />}
    </Stack>
  );
}

const versionLabels: Record<Version['state'], (number: number) => string> = {
  draft: (number) => t`Version ${number} · draft`,
  published: (number) => t`Version ${number} · published`,
  archived: (number) => t`Version ${number} · archived`,
};

function VersionChoice({ choice, onChange }: Props) {
  const versions = useVersions(choice.workflow_id);
  return (
    <Await query={versions} loading={<LoadingRows rows={1} />}>
      {(rows) => {
        const published = rows.find(({ state }) => state === 'published');
        const chosen = rows.find(({ id }) => id === choice.workflow_version_id);
        const usable = rows.filter((one) => one.state !== 'archived' || one === chosen);
        return (
          <>
            <Select
              label={t`Version`}
              data={[
                ...(published || !chosen ? [{ value: '', label: t`The published one` }] : []),
                ...usable
                  .toSorted((a, b) => b.version_number - a.version_number)
                  .map(({ id, version_number, state }) => ({
                    value: String(id),
                    label: versionLabels[state](version_number),
                  })),
              ]}
              value={chosen ? String(chosen.id) : ''}
              onChange={(value) =>
                onChange({ ...choice, workflow_version_id: value ? Number(value) : undefined })
              }
              allowDeselect={false}
            />
            {chosen?.state === 'draft' && (
              <Text size="xs" c="var(--faint)" mt={-8}>
                <Trans>A draft may change; its runs will be marked as test runs.</Trans>
              </Text>
            )}
          </>
        );
      }}
    </Await>
  );
}
