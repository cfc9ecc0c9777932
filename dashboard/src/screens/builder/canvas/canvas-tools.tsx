/** Buttons of the canvas: how it is seen, how it is ordered, notes. */
import { t } from '@lingui/core/macro';
import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import {
  IconAlignLeft,
  IconArrowsMaximize,
  IconBoxAlignTopLeft,
  IconClipboard,
  IconHelp,
  IconLayoutDistributeHorizontal,
  IconMap,
  IconMinus,
  IconNote,
  IconPlus,
  type IconProps,
} from '@tabler/icons-react';
import { useReactFlow, useStore } from '@xyflow/react';
import { type ComponentType, memo } from 'react';
import { useEditor, useEditorState } from '../editor.ts';
import { selectedKeys } from '../selection.ts';
import classes from './canvas.module.css';
import { useCanvasView } from './canvas-context.ts';
import { type Alignment, addNoteAt, align, alignments, tidy } from './commands.ts';
import { showAll } from './first-view.ts';
import type { FlowEdge, FlowNode } from './flow.ts';

type Props = { hasMap: boolean; onMap: () => void };

/** Remembered, as the canvas draws each time a card has moved. */
export const CanvasTools = memo(function CanvasTools({ hasMap, onMap }: Props) {
  const editor = useEditor();
  const view = useCanvasView();
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const count = useEditorState((state) => selectedKeys(state).length);
  const zoom = useStore(({ transform }) => Math.round(transform[2] * 100));
  const tidyAll = () => {
    tidy(editor);
    requestAnimationFrame(() => showAll(flow));
  };
  const addNote = () => {
    const box = document.querySelector('.react-flow')?.getBoundingClientRect();
    const middle = { x: (box?.left ?? 0) + (box?.width ?? 0) / 2 - 120, y: (box?.top ?? 0) + 96 };
    const keys = selectedKeys(editor.getState());
    const id = addNoteAt(editor, flow.screenToFlowPosition(middle), keys);
    view.set({ asked: { kind: 'note', id } });
  };
  return (
    <section className={classes.tools} aria-label={t`View of the canvas`}>
      <Tool
        label={t`Zoom out`}
        icon={IconMinus}
        onClick={() => void flow.zoomOut({ duration: 0 })}
      />
      <span className={classes.zoom}>{zoom} %</span>
      <Tool label={t`Zoom in`} icon={IconPlus} onClick={() => void flow.zoomIn({ duration: 0 })} />
      <Tool label={t`Show all`} icon={IconArrowsMaximize} onClick={() => showAll(flow)} />
      <Tool label={t`Map`} icon={IconMap} isPressed={hasMap} onClick={onMap} />
      {!isReadOnly && (
        <>
          <span className={classes.divider} />
          <Tool label={t`Tidy`} icon={IconLayoutDistributeHorizontal} onClick={tidyAll} />
          {count > 1 && (
            <Menu position="top" width={230}>
              <Menu.Target>
                <ActionIcon aria-label={t`Align`} title={t`Align`}>
                  <IconAlignLeft size={18} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {(Object.keys(alignments) as Alignment[]).map((how) => (
                  <Menu.Item key={how} onClick={() => align(editor, how)}>
                    {alignments[how]}
                  </Menu.Item>
                ))}
              </Menu.Dropdown>
            </Menu>
          )}
          <Tool
            label={count > 0 ? t`Frame around what is selected` : t`Add a note`}
            icon={count > 0 ? IconBoxAlignTopLeft : IconNote}
            onClick={addNote}
          />
        </>
      )}
      <span className={classes.divider} />
      {!isReadOnly && (
        <Tool
          label={t`Paste`}
          icon={IconClipboard}
          onClick={() => view.set({ asked: { kind: 'paste' } })}
        />
      )}
      <Tool label={t`Keys`} icon={IconHelp} onClick={() => view.set({ asked: { kind: 'keys' } })} />
    </section>
  );
});

type ToolProps = {
  label: string;
  icon: ComponentType<IconProps>;
  isPressed?: boolean;
  onClick: () => void;
};

function Tool({ label, icon: Icon, isPressed, onClick }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        aria-label={label}
        {...(isPressed === undefined ? {} : { 'aria-pressed': isPressed })}
        onClick={onClick}
      >
        <Icon size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
