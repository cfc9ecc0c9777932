/** A note, or a frame around the nodes that a note is about. */

import { setNote } from '@cogworks/graph/edit/edits';
import { t } from '@lingui/core/macro';
import { type NodeProps, NodeResizer } from '@xyflow/react';
import { memo } from 'react';
import { useEditor, useEditorState } from '../editor.ts';
import { RichText } from '../notes/rich-text.tsx';
import type { FlowNode } from './flow.ts';
import classes from './notes.module.css';
import { useIsReadable } from './readable.ts';

type Props = NodeProps<Extract<FlowNode, { type: 'note' }>>;

const least = { width: 140, height: 60 };

export const NoteCard = memo(function NoteCard({ id, data, selected, width, height }: Props) {
  const editor = useEditor();
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const isReadable = useIsReadable();
  const { note, isFrame, isCurrent } = data;
  const words = note.text.trim() || (isFrame ? t`Frame` : t`Note`);
  const start = words.slice(0, 120);
  return (
    <>
      {!isFrame && !isReadOnly && (
        <NodeResizer
          isVisible={selected && isReadable}
          minWidth={least.width}
          minHeight={least.height}
          lineClassName={classes.resizeLine ?? ''}
          handleClassName={classes.resizeHandle ?? ''}
          onResizeEnd={(_, { x, y, width, height }) =>
            editor.edit(t`Resized a note`, (graph) =>
              setNote(graph, note.id, {
                position: { x: Math.round(x), y: Math.round(y) },
                size: { width: Math.round(width), height: Math.round(height) },
              }),
            )
          }
        />
      )}
      <div
        className={classes.note}
        data-frame={isFrame}
        data-small={!isReadable}
        data-selected={selected}
        style={{ width, height }}
      >
        <button
          type="button"
          className={classes.noteFocus}
          tabIndex={isCurrent ? 0 : -1}
          data-card={id}
          aria-pressed={selected}
          aria-label={isFrame ? t`Frame: ${start}` : t`Note: ${start}`}
        />
        <div className={classes.noteText}>
          <RichText text={words} />
        </div>
      </div>
    </>
  );
});
