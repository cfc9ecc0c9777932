/** A note or frame in the list, and what can be done with it. */
import type { GraphNote } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Menu } from '@mantine/core';
import {
  IconBoxAlignTopLeft,
  IconClipboardCopy,
  IconDots,
  IconNote,
  IconPencil,
  IconSelect,
  IconTrash,
} from '@tabler/icons-react';
import { useEditorState } from '../editor.ts';
import { isFrame, nameOfNote } from '../notes/frames.ts';
import { RichText } from '../notes/rich-text.tsx';
import { noteId } from '../selection.ts';
import { listed, type Titles } from '../step-words.ts';
import { onKeyUp } from './list-keys.ts';
import { type NoteAction, noteActionOf } from './note-keys.ts';
import classes from './outline.module.css';

export type OnNoteAction = (id: string, action: NoteAction) => void;

type Props = { note: GraphNote; titles: Titles; onAction: OnNoteAction };

export function OutlineNote({ note, titles, onAction }: Props) {
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const isSelected = useEditorState(({ selection }) => selection.has(noteId(note.id)));
  const around = aroundWords(note, titles);
  const name = nameOfNote(note);
  const Icon = isFrame(note) ? IconBoxAlignTopLeft : IconNote;
  const act = (action: NoteAction) => onAction(note.id, action);
  return (
    <li className={classes.note} data-selected={isSelected || undefined}>
      <div className={classes.end}>
        <button
          type="button"
          className={classes.endName}
          data-note={note.id}
          aria-pressed={isSelected}
          onKeyDown={(event) => {
            const action = noteActionOf(event, isReadOnly);
            if (!action) return;
            event.preventDefault();
            act(action);
          }}
          onKeyUp={onKeyUp}
          onClick={({ ctrlKey, metaKey, shiftKey }) =>
            act(ctrlKey || metaKey || shiftKey ? 'select' : 'open')
          }
        >
          <Icon size={16} aria-hidden className={classes.endIcon} />
          <span className={classes.endWords}>
            <span className={classes.endTitle}>{name}</span>
            {around && <span className={classes.line}>{around}</span>}
          </span>
        </button>
        {!isReadOnly && <NoteMenu {...{ name, isSelected, act }} />}
      </div>
      {note.text.trim() !== name && note.text.trim() !== '' && (
        <div className={classes.noteText}>
          <RichText text={note.text} />
        </div>
      )}
    </li>
  );
}

type MenuProps = { name: string; isSelected: boolean; act: (action: NoteAction) => void };

function NoteMenu({ name, isSelected, act }: MenuProps) {
  return (
    <Menu width={250}>
      <Menu.Target>
        <ActionIcon size={32} aria-label={t`Actions for the note ${name}`}>
          <IconDots size={18} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={() => act('change')}>
          <Trans>Change…</Trans>
        </Menu.Item>
        <Menu.Item leftSection={<IconClipboardCopy size={16} />} onClick={() => act('copy')}>
          <Trans>Copy</Trans>
        </Menu.Item>
        <Menu.Item leftSection={<IconSelect size={16} />} onClick={() => act('select')}>
          {isSelected ? t`Leave out of what is selected` : t`Select`}
        </Menu.Item>
        <Menu.Item leftSection={<IconTrash size={16} />} onClick={() => act('delete')}>
          <Trans>Delete</Trans>
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** As "around Crop and Read"; undefined if it is about no step. */
function aroundWords({ node_keys = [] }: GraphNote, titles: Titles) {
  if (node_keys.length === 0) return undefined;
  const steps = listed(node_keys.map((key) => titles.get(key) ?? key));
  return t`around ${steps}`;
}
