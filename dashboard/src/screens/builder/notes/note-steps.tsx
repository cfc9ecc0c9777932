/** The steps that a note is about: it is drawn as a frame around them. */
import { t } from '@lingui/core/macro';
import { MultiSelect } from '@mantine/core';
import { useMemo } from 'react';
import { useEditorState } from '../editor.ts';
import { titlesOf } from '../step-words.ts';

type Props = {
  keys: readonly string[];
  isReadOnly?: boolean;
  onChange: (keys: string[]) => void;
};

/** Of a thousand steps, the list shows those that are looked for. */
const mostShown = 100;

export function NoteSteps({ keys, isReadOnly = false, onChange }: Props) {
  const graph = useEditorState((state) => state.graph);
  const data = useMemo(
    () => [...titlesOf(graph)].map(([value, label]) => ({ value, label })),
    [graph],
  );
  return (
    <MultiSelect
      label={t`Frame around`}
      description={t`Without steps it is a note of its own.`}
      data={data}
      value={[...keys]}
      onChange={onChange}
      readOnly={isReadOnly}
      searchable
      limit={mostShown}
      hidePickedOptions
      nothingFoundMessage={t`No step is called so`}
      comboboxProps={{ withinPortal: true }}
    />
  );
}
