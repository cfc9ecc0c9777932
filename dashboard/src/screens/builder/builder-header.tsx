/** Above the builder: what is edited, whether it is saved, and what can be done with the whole. */
import type { Workflow, WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Button, Group, SegmentedControl, Title } from '@mantine/core';
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconChevronLeft,
  IconCircleCheck,
  IconGitCompare,
  IconHistory,
  IconListTree,
  IconPlus,
  IconSitemap,
  IconVersions,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { CommandIcon } from '../../commands/command-icon.tsx';
import type { Command } from '../../commands/registry.ts';
import { useCommands } from '../../commands/use-commands.ts';
import { Tag } from '../../ui/tag.tsx';
import { stateLabels } from '../../versions/labels.ts';
import { type BuilderView, useBuilderAddress, useSetAddress } from './address.ts';
import classes from './builder.module.css';
import { SaveWords } from './draft/save-words.tsx';
import { useEditorState } from './editor.ts';
import { withoutHints } from './faults/check.ts';
import { RunButton } from './run-button.tsx';
import { useUndoing } from './undoing.ts';
import { PublishButton } from './versions/publish-button.tsx';

type Props = {
  workflow: Workflow;
  version: WorkflowVersion;
  view: BuilderView;
  isNarrow: boolean;
};

export function BuilderHeader({ workflow, version, view, isNarrow }: Props) {
  const setAddress = useSetAddress();
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const { version_number, state } = version;
  const versions = useVersionCommands(workflow, version);
  useViewCommand(view);
  return (
    <header className={classes.header}>
      <div className={classes.heading}>
        <Link
          to="/workflows/$workflowId"
          params={{ workflowId: String(version.workflow_id) }}
          className={classes.back}
          aria-label={t`Back to the workflow`}
        >
          <IconChevronLeft size={20} aria-hidden />
        </Link>
        <Title order={1} className={classes.title} tabIndex={-1}>
          {workflow.name}
        </Title>
        <div className={classes.state}>
          <Tag tone={state === 'published' ? 'accent' : 'idle'}>
            {t`Version ${version_number} · ${stateLabels[state]}`}
          </Tag>
          <SaveWords />
        </div>
      </div>
      <Group gap={6} wrap="nowrap" className={classes.actions}>
        {!isReadOnly && <UndoButtons />}
        <SegmentedControl
          size="xs"
          aria-label={t`View`}
          value={view}
          onChange={(value) => setAddress({ view: value as BuilderView, from: undefined })}
          data={[
            { value: 'canvas', label: t`Canvas` },
            { value: 'outline', label: t`Outline` },
          ]}
        />
        {isNarrow && !isReadOnly && (
          <CommandIcon
            command={{
              ...{ id: 'catalogue', label: t`Add a node`, icon: IconPlus },
              run: () => setAddress({ panel: 'palette' }),
            }}
          />
        )}
        <CommandIcon command={versions} />
        <FaultsButton />
        <Group gap={6} wrap="nowrap">
          <RunButton version={version} />
          {!isReadOnly && <PublishButton workflow={workflow} version={version} />}
        </Group>
      </Group>
    </header>
  );
}

/** The other view of the graph. */
function useViewCommand(view: BuilderView) {
  const setAddress = useSetAddress();
  const isCanvas = view === 'canvas';
  useCommands([
    {
      id: 'view',
      label: isCanvas ? t`Show as an outline` : t`Show as a canvas`,
      words: t`switch view list drawing`,
      icon: isCanvas ? IconListTree : IconSitemap,
      run: () => setAddress({ view: isCanvas ? 'outline' : 'canvas', from: undefined }),
    },
  ]);
}

/** @returns the one with a button; comparing with any other version is in the list of versions. */
function useVersionCommands(workflow: Workflow, version: WorkflowVersion): Command {
  const setAddress = useSetAddress();
  const { panel, from } = useBuilderAddress();
  const published = workflow.published_version_id;
  const isShown = panel === 'versions';
  const list = {
    ...{ id: 'versions', label: t`Versions`, icon: IconVersions, isPressed: isShown },
    run: () => setAddress({ panel: isShown ? undefined : 'versions' }),
  };
  const compare = {
    ...{ id: 'compare', label: t`Compare with the published version`, icon: IconGitCompare },
    words: t`difference changes since`,
    reason:
      published === undefined
        ? t`Nothing is published yet`
        : published === version.id
          ? t`This is the published version`
          : undefined,
    run: () => setAddress({ from: String(published), panel: undefined }),
  };
  const end = {
    ...{ id: 'end comparison', label: t`End the comparison`, icon: IconGitCompare },
    run: () => setAddress({ from: undefined }),
  };
  useCommands([list, from === undefined ? compare : end]);
  return list;
}

/** A component for each: after an edit there is another thing to undo, and nothing else is drawn. */
const UndoButtons = () => (
  <>
    <UndoButton />
    <RedoButton />
    <HistoryButton />
  </>
);

function UndoButton() {
  const { undo } = useUndoing();
  const back = useEditorState(({ past }) => past.at(-1)?.words);
  const command: Command = {
    ...{ id: 'undo', label: t`Undo`, icon: IconArrowBackUp, keys: 'Control+Z' },
    about: back ? t`Undo: ${back}` : undefined,
    reason: back ? undefined : t`Nothing to undo`,
    run: undo,
  };
  useCommands([command]);
  return <CommandIcon command={command} />;
}

function RedoButton() {
  const { redo } = useUndoing();
  const forth = useEditorState(({ future }) => future.at(-1)?.words);
  const command: Command = {
    ...{ id: 'redo', label: t`Redo`, icon: IconArrowForwardUp, keys: 'Control+Shift+Z' },
    about: forth ? t`Redo: ${forth}` : undefined,
    reason: forth ? undefined : t`Nothing to redo`,
    run: redo,
  };
  useCommands([command]);
  return <CommandIcon command={command} />;
}

function HistoryButton() {
  const { panel } = useBuilderAddress();
  const setAddress = useSetAddress();
  const isShown = panel === 'history';
  const command: Command = {
    ...{ id: 'history', label: t`History`, about: t`History of this visit`, icon: IconHistory },
    isPressed: isShown,
    run: () => setAddress({ panel: isShown ? undefined : 'history' }),
  };
  useCommands([command]);
  return <CommandIcon command={command} />;
}

function FaultsButton() {
  const { panel } = useBuilderAddress();
  const setAddress = useSetAddress();
  // Hints keep nothing from being published.
  const count = useEditorState(({ faults }) => withoutHints(faults).length);
  const isChecked = useEditorState((state) => state.isChecked);
  const show = () => setAddress({ panel: panel === 'faults' ? undefined : 'faults' });
  useCommands([
    {
      ...{ id: 'faults', label: t`Faults`, words: t`problems errors hints`, run: show },
      ...{ icon: IconAlertTriangle, about: faultWords(count, isChecked) },
    },
  ]);
  return (
    <Button
      size="compact-sm"
      className={classes.faults}
      variant={count > 0 ? 'light' : 'subtle'}
      color={count > 0 ? 'red' : 'gray'}
      leftSection={
        count > 0 ? <IconAlertTriangle size={15} /> : isChecked && <IconCircleCheck size={15} />
      }
      aria-pressed={panel === 'faults'}
      onClick={show}
    >
      {faultWords(count, isChecked)}
    </Button>
  );
}

function faultWords(count: number, isChecked: boolean): string {
  if (count > 0) return plural(count, { one: '# fault', other: '# faults' });
  return isChecked ? t`No faults` : t`Not checked yet`;
}
