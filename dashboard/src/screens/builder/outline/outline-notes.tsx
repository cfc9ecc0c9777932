/** The notes of the graph below its steps; those around steps are frames. */
import { removeNote } from '@cogworks/graph/edit/edits';
import type { GraphNote } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Menu } from '@mantine/core';
import {
  IconBoxAlignTopLeft,
  IconDots,
  IconNote,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react';
import { type KeyboardEvent, useMemo } from 'react';
import { useEditor, useEditorState } from '../editor.ts';
import { useOpenSettings } from '../faults/show-field.ts';
import { isFrame, nameOfNote } from '../notes/frames.ts';
import { RichText } from '../notes/rich-text.tsx';
import { noteId } from '../selection.ts';
import { listed, type Titles, titlesOf } from '../step-words.ts';
import classes from './outline.module.css';

type Props = { onAdd: () => void; onEdit: (id: string) => void };

export function OutlineNotes({ onAdd, onEdit }: Props) {
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
          <NoteRow key={note.id} note={note} titles={titles} onEdit={onEdit} />
        ))}
      </ul>
    </>
  );
}

type RowProps = { note: GraphNote; titles: Titles; onEdit: (id: string) => void };

function NoteRow({ note, titles, onEdit }: RowProps) {
  const editor = useEditor();
  const openSettings = useOpenSettings();
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const isSelected = useEditorState(({ selection }) => selection.has(noteId(note.id)));
  const around = aroundWords(note, titles);
  const name = nameOfNote(note);
  const Icon = isFrame(note) ? IconBoxAlignTopLeft : IconNote;
  const remove = () => {
    editor.edit(t`Deleted a note`, (graph) => removeNote(graph, note.id));
    editor.select([]);
  };
  const press = (event: KeyboardEvent) => {
    const isDelete = event.key === 'Delete' || event.key === 'Backspace';
    if (isReadOnly || (!isDelete && event.key !== 'F2')) return;
    event.preventDefault();
    if (isDelete) remove();
    else onEdit(note.id);
  };
  return (
    <li className={classes.note} data-selected={isSelected || undefined}>
      <div className={classes.end}>
        <button
          type="button"
          className={classes.endName}
          data-note={note.id}
          aria-pressed={isSelected}
          onKeyDown={press}
          onClick={({ ctrlKey, metaKey }) => {
            if (ctrlKey || metaKey) return editor.select([noteId(note.id)], { add: true });
            editor.select([noteId(note.id)]);
            openSettings();
          }}
        >
          <Icon size={16} aria-hidden className={classes.endIcon} />
          <span className={classes.endWords}>
            <span className={classes.endTitle}>{name}</span>
            {around && <span className={classes.line}>{around}</span>}
          </span>
        </button>
        {!isReadOnly && (
          <Menu width={200}>
            <Menu.Target>
              <ActionIcon size={32} aria-label={t`Actions for the note ${name}`}>
                <IconDots size={18} />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => onEdit(note.id)}>
                <Trans>Change…</Trans>
              </Menu.Item>
              <Menu.Item leftSection={<IconTrash size={16} />} onClick={remove}>
                <Trans>Delete</Trans>
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        )}
      </div>
      {note.text.trim() !== name && note.text.trim() !== '' && (
        <div className={classes.noteText}>
          <RichText text={note.text} />
        </div>
      )}
    </li>
  );
}

/** As "around Crop and Read"; undefined if it is about no step. */
function aroundWords({ node_keys = [] }: GraphNote, titles: Titles) {
  if (node_keys.length === 0) return undefined;
  const steps = listed(node_keys.map((key) => titles.get(key) ?? key));
  return t`around ${steps}`;
}
