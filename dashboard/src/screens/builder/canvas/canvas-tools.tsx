/** Buttons of the canvas: how it is seen, how it is ordered, notes. */
import { t } from '@lingui/core/macro';
import { ActionIcon, Menu } from '@mantine/core';
import {
  IconAlignLeft,
  IconArrowsMaximize,
  IconBoxAlignTopLeft,
  IconHelp,
  IconLayoutDistributeHorizontal,
  IconMap,
  IconMinus,
  IconNote,
  IconPlus,
} from '@tabler/icons-react';
import { useReactFlow, useStore } from '@xyflow/react';
import { memo } from 'react';
import { CommandIcon } from '../../../commands/command-icon.tsx';
import type { Command } from '../../../commands/registry.ts';
import { useCommands } from '../../../commands/use-commands.ts';
import { useSelectionCommands } from '../copying/use-copying.ts';
import { useEditor, useEditorState } from '../editor.ts';
import { addNoteAt } from '../edits/adding.ts';
import { type Alignment, align, alignments, tidy } from '../edits/placing.ts';
import { selectedKeys } from '../selection.ts';
import classes from './canvas.module.css';
import { useCanvasView, useTelling } from './canvas-context.ts';
import { showAll } from './first-view.ts';
import type { FlowEdge, FlowNode } from './flow.ts';
import { askBehind } from './use-canvas-keys.ts';

type Props = { hasMap: boolean; onMap: () => void };

/** Remembered, as the canvas draws each time a card has moved. */
export const CanvasTools = memo(function CanvasTools({ hasMap, onMap }: Props) {
  const editor = useEditor();
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const count = useEditorState((state) => selectedKeys(state).length);
  const zoom = useStore(({ transform }) => Math.round(transform[2] * 100));
  const { zoomOut, zoomIn, all, map } = useSeeing(hasMap, onMap);
  const { add, tidying, note, copy, changes, keys } = useDrawing(count);
  const own = isReadOnly ? [] : [add, tidying, note];
  useCommands([...own, copy, ...changes, keys, all, zoomIn, zoomOut, map]);
  return (
    <section className={classes.tools} aria-label={t`View of the canvas`}>
      <CommandIcon command={zoomOut} />
      <span className={classes.zoom}>{zoom} %</span>
      <CommandIcon command={zoomIn} />
      <CommandIcon command={all} />
      <CommandIcon command={map} />
      {!isReadOnly && (
        <>
          <span className={classes.divider} />
          <CommandIcon command={tidying} />
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
          <CommandIcon command={note} />
        </>
      )}
      <span className={classes.divider} />
      {changes
        .filter(({ id }) => id === 'paste')
        .map((command) => (
          <CommandIcon key={command.id} command={command} />
        ))}
      <CommandIcon command={keys} />
    </section>
  );
});

/** How the canvas is seen. */
function useSeeing(hasMap: boolean, onMap: () => void) {
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const command = (id: string, label: string, icon: Command['icon'], run: () => unknown) => ({
    ...{ id, label, icon },
    run: () => void run(),
  });
  return {
    zoomOut: command('zoom-out', t`Zoom out`, IconMinus, () => flow.zoomOut({ duration: 0 })),
    zoomIn: command('zoom-in', t`Zoom in`, IconPlus, () => flow.zoomIn({ duration: 0 })),
    all: command('show-all', t`Show all`, IconArrowsMaximize, () => showAll(flow)),
    map: { ...command('map', t`Map`, IconMap, onMap), isPressed: hasMap },
  };
}

/** What is done to the graph, with its notes and what is selected. */
function useDrawing(count: number) {
  const editor = useEditor();
  const view = useCanvasView();
  const flow = useReactFlow<FlowNode, FlowEdge>();
  const paste = () => view.set({ asked: { kind: 'paste' } });
  const { copy, changes } = useSelectionCommands(useTelling(), paste);
  const addNote = () => {
    const box = document.querySelector('.react-flow')?.getBoundingClientRect();
    const middle = { x: (box?.left ?? 0) + (box?.width ?? 0) / 2 - 120, y: (box?.top ?? 0) + 96 };
    const keys = selectedKeys(editor.getState());
    const id = addNoteAt(editor, flow.screenToFlowPosition(middle), keys);
    view.set({ asked: { kind: 'note', id } });
  };
  const add: Command = {
    ...{ id: 'add step', label: t`Add a step…`, words: t`node`, icon: IconPlus, keys: 'A' },
    run: () => askBehind(editor, view, view.get().current),
  };
  const tidying: Command = {
    ...{ id: 'tidy', label: t`Tidy`, words: t`layout order`, icon: IconLayoutDistributeHorizontal },
    run: () => {
      tidy(editor);
      requestAnimationFrame(() => showAll(flow));
    },
  };
  const note: Command = {
    id: 'note',
    label: count > 0 ? t`Frame around what is selected` : t`Add a note`,
    icon: count > 0 ? IconBoxAlignTopLeft : IconNote,
    run: addNote,
  };
  const keys: Command = {
    ...{ id: 'keys', label: t`Keys`, words: t`keyboard shortcuts help`, icon: IconHelp, keys: '?' },
    run: () => view.set({ asked: { kind: 'keys' } }),
  };
  return { add, tidying, note, copy, changes, keys };
}
