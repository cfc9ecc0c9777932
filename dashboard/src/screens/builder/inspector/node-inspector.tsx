/** Everything that can be set of one node, and what it means. */
import type { GraphNode } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import { IconCopy } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useEditor } from '../editor.ts';
import { duplicated, removed } from '../edits/step-edits.ts';
import { DeleteButton } from './delete-button.tsx';
import { useFieldEdits } from './field-edits.ts';
import classes from './inspector.module.css';
import { DefinitionSection, NodeHead } from './node-head.tsx';
import { ParamsSection } from './params-section.tsx';
import { GivesSection, TakesSection } from './ports-section.tsx';
import { ConditionSection, FailureSection, MapSection } from './runs-section.tsx';
import { FaultWords, Hints } from './section.tsx';
import { useDefinitions, useFaultsAt, useGraph, useIsReadOnly } from './use-node.ts';

export function NodeInspector({ node }: { node: GraphNode }) {
  const graph = useGraph();
  const definition = useDefinitions().get(node.node_definition_id);
  const edits = useFieldEdits();
  const faults = useFaultsAt(`node:${node.key}`);
  const isReadOnly = useIsReadOnly();
  useLeaveByEscape(node.key);
  const props = { node, graph, definition, edits };
  return (
    <div
      className={classes.inspector}
      data-entity={`node:${node.key}`}
      onFocusCapture={edits.onFocusCapture}
    >
      <h2 className={classes.kind}>
        <Trans>Step</Trans>
      </h2>
      <NodeHead {...props} />
      <FaultWords>{faults.get('')}</FaultWords>
      <Hints id={`node:${node.key}`} />
      <DefinitionSection {...props} />
      <ParamsSection {...props} />
      <MapSection {...props} />
      <TakesSection {...props} />
      <GivesSection {...props} />
      <ConditionSection {...props} />
      <FailureSection {...props} />
      {!isReadOnly && <NodeActions node={node} />}
    </div>
  );
}

/** Escape leads back to the step in the list or in the drawing. A drawer closes by it anyway. */
function useLeaveByEscape(key: string) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { target } = event;
      if (event.key !== 'Escape' || event.defaultPrevented || !(target instanceof Element)) return;
      if (!target.closest('[data-entity]')) return;
      // It closes a list or a menu first, and belongs to the dialog around a field.
      if (target.closest('[role="dialog"], [role="menu"], [aria-expanded="true"]')) return;
      const step = `[data-step="${CSS.escape(key)}"]`;
      const card = `[data-card="${CSS.escape(`node:${key}`)}"]`;
      document.querySelector<HTMLElement>(`${step}, ${card}`)?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [key]);
}

function NodeActions({ node }: { node: GraphNode }) {
  const editor = useEditor();
  const name = node.title || node.key;
  return (
    <Group gap="xs" className={classes.actions}>
      <Button
        variant="default"
        size="sm"
        leftSection={<IconCopy size={15} />}
        onClick={() => {
          const { graph, key } = duplicated(editor.getState().graph, node.key);
          editor.edit(t`Duplicated ${name}`, () => graph);
          editor.select([`node:${key}`]);
        }}
      >
        <Trans>Duplicate</Trans>
      </Button>
      <DeleteButton words={t`Deleted ${name}`} change={(now) => removed(now, [node.key])}>
        <Trans>Delete</Trans>
      </DeleteButton>
    </Group>
  );
}
