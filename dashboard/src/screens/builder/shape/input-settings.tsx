/** The settings of an input of the workflow: its name, and which files it takes. */
import { removeInput, renameInput, setInput } from '@cogworks/graph/edit/edits';
import { inputLimits } from '@cogworks/graph/lanes';
import type { GraphInput } from '@cogworks/graph/types';
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
          label="Name"
          name={name}
          taken={graph.inputs.map((one) => one.name)}
          fault={faults.get('/name')}
          isReadOnly={isReadOnly}
          onRename={(next) => {
            editor.edit(`Input ${name} is now ${next}`, (now) => renameInput(now, name, next));
            editor.select([`input:${next}`]);
          }}
        />
      </div>
      <div data-pointer="/media_types">
        <TagsInput
          label="Takes files of these types"
          description="Of any type if there is none here."
          placeholder={media_types.length === 0 ? 'Any file' : ''}
          data={[...usualTypes]}
          value={media_types}
          readOnly={isReadOnly}
          maxTags={50}
          error={faults.get('/media_types')}
          onChange={(types) =>
            editor.edit(`Types of ${name}`, (now) =>
              setInput(now, name, types.length > 0 ? types : undefined),
            )
          }
          comboboxProps={{ withinPortal: false }}
        />
      </div>
      <Text size="xs" c="var(--faint)">
        {limit?.max === 1
          ? limit.min === 1
            ? 'A run gives it exactly one file, since a step takes a single one.'
            : 'A run gives it at most one file.'
          : 'A run gives it any number of files.'}
      </Text>
      <UsedBy
        id={`input:${name}`}
        keys={nodesTaking(graph, name)}
        none="No step takes its files yet."
      />
      <DeleteButton words={`Deleted the input ${name}`} change={(now) => removeInput(now, name)}>
        Delete the input
      </DeleteButton>
    </Stack>
  );
}
