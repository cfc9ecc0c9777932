/** Above the builder: what is edited, whether it is saved, and what can be done with the whole. */
import type { Workflow, WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { ActionIcon, Button, Group, SegmentedControl, Title, Tooltip } from '@mantine/core';
import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconArrowForwardUp,
  IconChevronLeft,
  IconCircleCheck,
  IconHistory,
  IconPlus,
  IconVersions,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Tag } from '../../ui/tag.tsx';
import { stateLabels } from '../../versions/labels.ts';
import { type BuilderView, useBuilderAddress, useSetAddress } from './address.ts';
import classes from './builder.module.css';
import { SaveWords } from './draft/save-words.tsx';
import { useEditorState } from './editor.ts';
import { withoutHints } from './faults/check.ts';
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
  const { panel } = useBuilderAddress();
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const { version_number, state } = version;
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
        <Title order={1} className={classes.title}>
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
          <Tooltip label={t`Add a node`}>
            <ActionIcon aria-label={t`Add a node`} onClick={() => setAddress({ panel: 'palette' })}>
              <IconPlus size={18} />
            </ActionIcon>
          </Tooltip>
        )}
        <Tooltip label={t`Versions`}>
          <ActionIcon
            aria-label={t`Versions`}
            aria-pressed={panel === 'versions'}
            onClick={() => setAddress({ panel: panel === 'versions' ? undefined : 'versions' })}
          >
            <IconVersions size={18} />
          </ActionIcon>
        </Tooltip>
        <FaultsButton />
        {!isReadOnly && <PublishButton workflow={workflow} version={version} />}
      </Group>
    </header>
  );
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
  return (
    <Tooltip label={back ? t`Undo: ${back}` : t`Nothing to undo`}>
      <ActionIcon
        aria-label={t`Undo`}
        aria-keyshortcuts="Control+Z"
        data-disabled={!back}
        aria-disabled={!back}
        onClick={undo}
      >
        <IconArrowBackUp size={18} />
      </ActionIcon>
    </Tooltip>
  );
}

function RedoButton() {
  const { redo } = useUndoing();
  const forth = useEditorState(({ future }) => future.at(-1)?.words);
  return (
    <Tooltip label={forth ? t`Redo: ${forth}` : t`Nothing to redo`}>
      <ActionIcon
        aria-label={t`Redo`}
        aria-keyshortcuts="Control+Shift+Z"
        data-disabled={!forth}
        aria-disabled={!forth}
        onClick={redo}
      >
        <IconArrowForwardUp size={18} />
      </ActionIcon>
    </Tooltip>
  );
}

function HistoryButton() {
  const { panel } = useBuilderAddress();
  const setAddress = useSetAddress();
  return (
    <Tooltip label={t`History of this visit`}>
      <ActionIcon
        aria-label={t`History`}
        aria-pressed={panel === 'history'}
        onClick={() => setAddress({ panel: panel === 'history' ? undefined : 'history' })}
      >
        <IconHistory size={18} />
      </ActionIcon>
    </Tooltip>
  );
}

function FaultsButton() {
  const { panel } = useBuilderAddress();
  const setAddress = useSetAddress();
  // Hints keep nothing from being published.
  const count = useEditorState(({ faults }) => withoutHints(faults).length);
  const isChecked = useEditorState((state) => state.isChecked);
  return (
    <Button
      size="compact-sm"
      variant={count > 0 ? 'light' : 'subtle'}
      color={count > 0 ? 'red' : 'gray'}
      leftSection={
        count > 0 ? <IconAlertTriangle size={15} /> : isChecked && <IconCircleCheck size={15} />
      }
      aria-pressed={panel === 'faults'}
      onClick={() => setAddress({ panel: panel === 'faults' ? undefined : 'faults' })}
    >
      {count > 0
        ? plural(count, { one: '# fault', other: '# faults' })
        : isChecked
          ? t`No faults`
          : t`Not checked yet`}
    </Button>
  );
}
