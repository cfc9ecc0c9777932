/**
 * The graph as a list, equal to the drawing: the same commands, by buttons, menus and keys. The
 * editor of phones and of screen readers.
 */
import { removeNodes } from '@cogworks/graph/edit/edits';
import type { EdgeSource, PortOfNode } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPlus, IconSitemap } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useCatalogue } from '../../../catalogue.ts';
import { Empty } from '../../../ui/empty.tsx';
import { AddStepDialog } from '../connections/add-step-dialog.tsx';
import { ConnectDialog } from '../connections/connect-dialog.tsx';
import { useEditor, useEditorState } from '../editor.ts';
import { useOpenSettings, useShowField } from '../faults/show-field.ts';
import { nodeId } from '../selection.ts';
import { duplicated, movedInOrder } from '../step-commands.ts';
import { useGraphSteps } from '../steps-to-find.ts';
import { TestBar } from '../test/test-bar.tsx';
import { useStartTest } from '../test/use-start-test.ts';
import { focusStep, useListKeys } from './list-keys.ts';
import classes from './outline.module.css';
import { OutlineEnds } from './outline-ends.tsx';
import { OutlineResults, useOpenResults } from './outline-results.tsx';
import { rowsOf } from './outline-rows.ts';
import { OutlineStep } from './outline-step.tsx';
import type { StepCommand } from './step-command.ts';

type Opened =
  | { dialog: 'add'; after: { node: string } | { input: string } | undefined }
  | { dialog: 'from'; from: EdgeSource }
  | { dialog: 'to'; to: PortOfNode };

export function Outline() {
  const graph = useEditorState((state) => state.graph);
  const definitions = useEditorState((state) => state.definitions);
  const faults = useEditorState((state) => state.faults);
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const selection = useEditorState((state) => state.selection);
  const { data: catalogue } = useCatalogue();
  const [opened, setOpened] = useState<Opened>();
  const names = useMemo(
    () => new Map((catalogue ?? []).map(({ id, title, name }) => [id, title || name])),
    [catalogue],
  );
  const rows = useMemo(
    () => rowsOf(graph, definitions, faults, names),
    [graph, definitions, faults, names],
  );
  const editor = useEditor();
  useGraphSteps((key) => {
    editor.select([nodeId(key)]);
    focusStep(key);
  });
  const run = useStepCommands(setOpened);
  const list = useListKeys(run, isReadOnly);
  const onAdded = useFocusAfter(opened !== undefined);
  const close = () => setOpened(undefined);
  const add = () => setOpened({ dialog: 'add', after: undefined });
  return (
    <div className={classes.frame}>
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
              action={
                !isReadOnly && (
                  <Button onClick={add}>
                    <Trans>Add a step</Trans>
                  </Button>
                )
              }
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
              >
                {rows.map((row, at) => (
                  <OutlineStep
                    key={row.key}
                    row={row}
                    isFirst={at === 0}
                    isLast={at === rows.length - 1}
                    isSelected={selection.has(`node:${row.key}`)}
                    isReadOnly={isReadOnly}
                    onCommand={run}
                  />
                ))}
              </ol>
              {!isReadOnly && (
                <Button
                  variant="default"
                  leftSection={<IconPlus size={16} />}
                  className={classes.addLast}
                  onClick={add}
                >
                  <Trans>Add a step</Trans>
                </Button>
              )}
              {!isReadOnly && <KeyHelp />}
            </>
          )}
        </div>
      </div>
      <OutlineResults />
      {opened?.dialog === 'add' && (
        <AddStepDialog after={opened.after} onClose={close} onAdded={onAdded} />
      )}
      {opened?.dialog === 'from' && <ConnectDialog from={opened.from} onClose={close} />}
      {opened?.dialog === 'to' && <ConnectDialog to={opened.to} onClose={close} />}
    </div>
  );
}

const KeyHelp = () => (
  <p className={classes.help}>
    <Trans>
      On a step: <kbd>↑</kbd> <kbd>↓</kbd> go, <kbd>Enter</kbd> settings, <kbd>A</kbd> add after,{' '}
      <kbd>C</kbd> connect, <kbd>D</kbd> duplicate, <kbd>Alt ↑</kbd> <kbd>Alt ↓</kbd> move,{' '}
      <kbd>Delete</kbd> delete, <kbd>T</kbd> test up to it, <kbd>R</kbd> results of the test.
    </Trans>
  </p>
);

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

/** What the commands of a row do. */
function useStepCommands(open: (opened: Opened) => void) {
  const editor = useEditor();
  const openSettings = useOpenSettings();
  const show = useShowField();
  const startTest = useStartTest();
  const openResults = useOpenResults();
  return useMemo(
    () => (key: string, command: StepCommand) => {
      const { graph, definitions } = editor.getState();
      const node = graph.nodes.find((one) => one.key === key);
      if (!node) return;
      const name = node.title || key;
      switch (command.type) {
        case 'open':
          editor.select([`node:${key}`]);
          openSettings();
          return;
        case 'settings':
          return show({ id: `node:${key}`, field: '/title' });
        case 'add':
          return open({ dialog: 'add', after: { node: key } });
        case 'connect': {
          const [output] = definitions.get(node.node_definition_id)?.outputs ?? [];
          if (output) open({ dialog: 'from', from: { node: key, port: output.name } });
          return;
        }
        case 'test':
          return startTest(key);
        case 'results':
          return openResults(key);
        case 'connect-from':
          return open({ dialog: 'from', from: command.from });
        case 'connect-to':
          return open({ dialog: 'to', to: command.to });
        case 'duplicate': {
          const copy = duplicated(graph, key);
          editor.edit(t`Duplicated ${name}`, () => copy.graph);
          return focusStep(copy.key);
        }
        case 'up':
        case 'down':
          editor.edit(command.type === 'up' ? t`Moved ${name} up` : t`Moved ${name} down`, (now) =>
            movedInOrder(now, key, command.type === 'up' ? -1 : 1),
          );
          return focusStep(key);
        case 'delete':
          editor.edit(t`Deleted ${name}`, (now) => removeNodes(now, [key]));
          editor.select([]);
      }
    },
    [editor, openSettings, show, open, startTest, openResults],
  );
}
