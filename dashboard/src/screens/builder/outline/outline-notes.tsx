/** The notes of the graph below its steps; those around steps are frames. */
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconNote } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useEditorState } from '../editor.ts';
import { titlesOf } from '../step-words.ts';
import classes from './outline.module.css';
import { type OnNoteAction, OutlineNote } from './outline-note.tsx';

type Props = { onAdd: () => void; onAction: OnNoteAction };

export function OutlineNotes({ onAdd, onAction }: Props) {
  const graph = useEditorState((state) => state.graph);
  const titles = useMemo(() => titlesOf(graph), [graph]);
  const { notes } = graph;
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  if (isReadOnly && !notes?.length) return null;
  return (
    <>
      <div className={classes.notesHead}>
        <h2 className={classes.heading} id="outline-notes">
          <Trans>Notes and frames</Trans>
        </h2>
        {!isReadOnly && (
          <Button
            variant="subtle"
            size="compact-sm"
            leftSection={<IconNote size={15} />}
            onClick={onAdd}
          >
            <Trans>Add a note</Trans>
          </Button>
        )}
      </div>
      <ul className={classes.ends} aria-labelledby="outline-notes">
        {notes?.map((note) => (
          <OutlineNote key={note.id} note={note} titles={titles} onAction={onAction} />
        ))}
      </ul>
    </>
  );
}
