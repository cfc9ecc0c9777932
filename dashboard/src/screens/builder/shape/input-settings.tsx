/** The settings of an input of the workflow: its name, and which files it takes. */
import { removeInput, renameInput, setInput } from '@cogworks/graph/edit/edits';
import { inputLimits } from '@cogworks/graph/lanes';
import type { GraphInput } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack, TagsInput, Text } from '@mantine/core';
import { useMemo } from 'react';
import { usualTypes } from '../../../media-types.ts';
import { useEditor } from '../editor.ts';
import { DeleteButton } from '../inspector/delete-button.tsx';
import { useDefinitions, useFaultsAt, useGraph, useIsReadOnly } from '../inspector/use-node.ts';
import { NameField } from './name-field.tsx';
import { UsedBy } from './used-by.tsx';
import { nodesTaking } from './uses.ts';

export function InputSettings({ input }: { input: GraphInput }) {
  const editor = useEditor();
  const graph = useGraph();
  const definitions = useDefinitions();
  const isReadOnly = useIsReadOnly();
  const { name, media_types = [] } = input;
  const faults = useFaultsAt(`input:${name}`);
  const limit = useMemo(
    () => inputLimits(graph, definitions).get(name),
    [graph, definitions, name],
  );
  return (
    <Stack gap="sm">
      <div data-pointer="/name">
        <NameField
          label={t`Name`}
          name={name}
          taken={graph.inputs.map((one) => one.name)}
          fault={faults.get('/name')}
          isReadOnly={isReadOnly}
          onRename={(next) => {
            editor.edit(t`Input ${name} is now ${next}`, (now) => renameInput(now, name, next));
            editor.select([`input:${next}`]);
          }}
        />
      </div>
      <div data-pointer="/media_types">
        <TagsInput
          label={t`Takes files of these types`}
          description={t`Of any type if there is none here.`}
          placeholder={media_types.length === 0 ? t`Any file` : ''}
          data={[...usualTypes]}
          value={media_types}
          readOnly={isReadOnly}
          maxTags={50}
          error={faults.get('/media_types')}
          onChange={(types) =>
            editor.edit(t`Types of ${name}`, (now) =>
              setInput(now, name, types.length > 0 ? types : undefined),
            )
          }
          comboboxProps={{ withinPortal: false }}
        />
      </div>
      <Text size="xs" c="var(--faint)">
        {limit?.max === 1
          ? limit.min === 1
            ? t`A run gives it exactly one file, since a step takes a single one.`
            : t`A run gives it at most one file.`
          : t`A run gives it any number of files.`}
      </Text>
      <UsedBy
        id={`input:${name}`}
        keys={nodesTaking(graph, name)}
        none={t`No step takes its files yet.`}
      />
      <DeleteButton words={t`Deleted the input ${name}`} change={(now) => removeInput(now, name)}>
        <Trans>Delete the input</Trans>
      </DeleteButton>
    </Stack>
  );
}
