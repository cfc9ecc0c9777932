/**
 * The graph as a list, equal to the drawing: the same commands, by buttons, menus and keys. The
 * editor of phones and of screen readers.
 */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconSitemap } from '@tabler/icons-react';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useCatalogue } from '../../../catalogue.ts';
import type { Command } from '../../../commands/registry.ts';
import { Empty } from '../../../ui/empty.tsx';
import { useCopying } from '../copying/use-copying.ts';
import { useEditor, useEditorState } from '../editor.ts';
import { idIn, nodeId } from '../selection.ts';
import { useGraphSteps } from '../steps-to-find.ts';
import { TestBar } from '../test/test-bar.tsx';
import { useListCommands, useListTelling } from './list-commands.ts';
import { onKeyUp, useListKeys } from './list-keys.ts';
import classes from './outline.module.css';
import { OutlineDialogs } from './outline-dialogs.tsx';
import { OutlineEnds } from './outline-ends.tsx';
import { OutlineNotes } from './outline-notes.tsx';
import { OutlineResults } from './outline-results.tsx';
import { rowsOf } from './outline-rows.ts';
import { OutlineStep } from './outline-step.tsx';
import { focusStep, useKeepFocus } from './row-focus.ts';
import { SelectedLine } from './selected-line.tsx';
import { useNoteActions } from './use-note-actions.ts';
import { type Opened, useStepActions } from './use-step-actions.ts';

export function Outline() {
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const selection = useEditorState((state) => state.selection);
  const [opened, setOpened] = useState<Opened>();
  const rows = useRows();
  const telling = useListTelling(setOpened);
  const run = useStepActions(setOpened, telling);
  const runOfNote = useNoteActions(setOpened, telling);
  const list = useListKeys(run, isReadOnly);
  useReveal(list.ref);
  const frame = useRef<HTMLDivElement>(null);
  useCopying(frame, telling);
  const keepFocus = useKeepFocus(frame, rows);
  const commands = useListCommands(setOpened, telling);
  const onAdded = useFocusAfter(opened !== undefined);
  const buttons = commands.below.map((command) => <BelowButton key={command.id} {...command} />);
  return (
    <div className={classes.frame} ref={frame} {...keepFocus}>
      {rows.length > 0 && <TestBar />}
      <div className={classes.scroll}>
        <div className={classes.outline}>
          <OutlineEnds onAddAfter={(input) => setOpened({ dialog: 'add', after: { input } })} />
          <h2 className={classes.heading} id="outline-steps">
            <Trans>Steps</Trans>
          </h2>
          {rows.length === 0 ? (
            <Empty
              icon={<IconSitemap size={26} />}
              title={t`No steps yet`}
              action={!isReadOnly && buttons}
            >
              <Trans>
                A step is a program that takes files and gives files. Add the first one from the
                catalogue.
              </Trans>
            </Empty>
          ) : (
            <>
              <ol
                ref={list.ref}
                className={classes.steps}
                aria-labelledby="outline-steps"
                onKeyDown={list.onKeyDown}
                onKeyUp={onKeyUp}
              >
                {rows.map((row, at) => (
                  <OutlineStep
                    key={row.key}
                    row={row}
                    isFirst={at === 0}
                    isLast={at === rows.length - 1}
                    isSelected={selection.has(nodeId(row.key))}
                    isReadOnly={isReadOnly}
                    onAction={run}
                  />
                ))}
              </ol>
              {!isReadOnly && <div className={classes.below}>{buttons}</div>}
            </>
          )}
          <OutlineNotes onAdd={commands.note.run} onAction={runOfNote} />
        </div>
      </div>
      <SelectedLine commands={commands.selected} />
      <OutlineResults />
      <OutlineDialogs
        opened={opened}
        telling={telling}
        onClose={() => setOpened(undefined)}
        onAdded={onAdded}
      />
    </div>
  );
}

function useRows() {
  const graph = useEditorState((state) => state.graph);
  const definitions = useEditorState((state) => state.definitions);
  const faults = useEditorState((state) => state.faults);
  const { data: catalogue } = useCatalogue();
  const editor = useEditor();
  useGraphSteps((key) => {
    editor.select([nodeId(key)]);
    focusStep(key);
  });
  const names = useMemo(
    () => new Map((catalogue ?? []).map(({ id, title, name }) => [id, title || name])),
    [catalogue],
  );
  return useMemo(
    () => rowsOf(graph, definitions, faults, names),
    [graph, definitions, faults, names],
  );
}

const BelowButton = ({ id, label, icon: Icon, run }: Command) => (
  <Button
    variant="default"
    leftSection={<Icon size={16} />}
    onClick={run}
    data-add-step={id === 'add step' || undefined}
  >
    {label}
  </Button>
);

/** What is selected elsewhere, as by a fault, is brought into view. */
function useReveal(list: RefObject<HTMLElement | null>) {
  const only = useEditorState(({ selection }) => (selection.size === 1 ? [...selection][0] : ''));
  useEffect(() => {
    const key = only && idIn('node', only);
    if (!key) return;
    const step = list.current?.querySelector(`[data-step="${CSS.escape(key)}"]`);
    step?.scrollIntoView({ block: 'nearest' });
  }, [list, only]);
}

/**
 * Gives the focus to a step that was added by a dialog: after the dialog has given it back to what
 * opened it.
 */
function useFocusAfter(isOpen: boolean) {
  const added = useRef<string>(undefined);
  useEffect(() => {
    if (isOpen || added.current === undefined) return;
    focusStep(added.current);
    added.current = undefined;
  }, [isOpen]);
  return (key: string) => {
    added.current = key;
  };
}
