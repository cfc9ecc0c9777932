/** Beside the pointer while a wire is drawn: what it would do, or why not. Also read aloud. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useConnection } from '@xyflow/react';
import { useEffect } from 'react';
import { useEditorState } from '../editor.ts';
import { useStored } from '../store.ts';
import classes from './canvas.module.css';
import { useCanvasView } from './canvas-context.ts';
import { portKey, portWords } from './verdicts.ts';

export function WireLabel() {
  const view = useCanvasView();
  const drawing = useStored(view, (state) => state.drawing);
  const graph = useEditorState((state) => state.graph);
  const over = useConnection(({ toHandle }) =>
    toHandle?.id ? portKey({ card: toHandle.nodeId, handle: toHandle.id }) : undefined,
  );
  const pointer = useConnection((connection) =>
    connection.inProgress ? `${connection.pointer.x},${connection.pointer.y}` : undefined,
  );
  const verdict = over === undefined ? undefined : drawing?.verdicts.get(over);
  const [card = '', handle = ''] = over?.split('\n') ?? [];
  const text =
    verdict && (verdict.ok ? t`Connect to ${portWords(graph, { card, handle })}` : verdict.message);
  useEffect(() => {
    if (text !== undefined) view.set({ spoken: text });
  }, [view, text]);
  if (!drawing || !verdict || pointer === undefined) return null;
  const [x, y] = pointer.split(',').map(Number);
  return (
    <div
      className={classes.wireLabel}
      data-ok={verdict.ok}
      style={{ left: (x ?? 0) + 16, top: (y ?? 0) + 16 }}
    >
      {text}
      {!verdict.ok && verdict.fixes.length > 0 && (
        <span className={classes.wireHint}>
          <Trans>Let go to see what would help.</Trans>
        </span>
      )}
    </div>
  );
}
