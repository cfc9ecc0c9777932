/** What changed since another version: both on one drawing, and a list in words beside it. */
import { changesBetween, edgeId } from '@cogworks/graph/edit/changes';
import type { Graph } from '@cogworks/graph/types';
import type { WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Group, Text, Title, Tooltip } from '@mantine/core';
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { asGraph } from '../../../contract-graph.ts';
import { Await } from '../../../ui/await.tsx';
import { isBehindDialog } from '../../../ui/behind-dialog.ts';
import { GraphView } from '../../../ui/graph-view.tsx';
import { ChangeList } from '../../../versions/change-list.tsx';
import { summary } from '../../../versions/told.ts';
import { useVersion } from '../../../workflows.ts';
import { useSetAddress } from '../address.ts';
import { useEditorState } from '../editor.ts';
import { isTyping } from '../keys.ts';
import { compare, nodeOf } from './compared.ts';
import classes from './versions.module.css';

type Props = { from: number; version: WorkflowVersion };

export function Comparison({ from, version }: Props) {
  const other = useVersion(from);
  return (
    <div className={classes.comparison}>
      <Await query={other}>{(before) => <Compared before={before} version={version} />}</Await>
    </div>
  );
}

function Compared({ before, version }: { before: WorkflowVersion; version: WorkflowVersion }) {
  const setAddress = useSetAddress();
  const after = useEditorState((state) => state.graph);
  const definitions = useEditorState((state) => state.definitions);
  const start = useMemo(() => asGraph(before.graph), [before]);
  const { nodes, edges, told } = useMemo(
    () => compare(start, after, changesBetween(start, after), definitions),
    [start, after, definitions],
  );
  const [chosen, setChosen] = useState(0);
  const at = Math.min(chosen, told.length - 1);
  const node = useChosenNode(told[at], start, after);
  const step = (by: number) => setChosen((at + by + told.length) % Math.max(1, told.length));
  useStepKeys(step);
  const drawing = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the drawing shows another box then
  useEffect(() => {
    const box = drawing.current?.querySelector('[aria-pressed="true"]');
    box?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [node]);
  const from = before.version_number;
  const to = version.version_number;
  const number = at + 1;
  const total = told.length;
  return (
    <>
      <div className={classes.drawing} ref={drawing}>
        <GraphView
          label={t`Changes from version ${from} to version ${to}`}
          nodes={nodes}
          edges={edges}
          chosen={node}
          onChoose={(key) => {
            const found = told.findIndex((one) => nodeOf(one, edgesById(start, after)) === key);
            if (found >= 0) setChosen(found);
          }}
        />
      </div>
      <aside className={classes.list} aria-label={t`Changes`}>
        <Group justify="space-between" wrap="nowrap" align="flex-start" gap={4}>
          <div>
            <Title order={2} size="sm">
              <Trans>
                From version {from} to version {to}
              </Trans>
            </Title>
            <Text size="sm" c="var(--faint)">
              {summary(told)}
            </Text>
          </div>
          <Tooltip label={t`Close the comparison`}>
            <ActionIcon
              aria-label={t`Close the comparison`}
              onClick={() => setAddress({ from: undefined })}
            >
              <IconX size={17} />
            </ActionIcon>
          </Tooltip>
        </Group>
        {told.length > 1 && (
          <Group gap={6} my="xs">
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconChevronUp size={15} />}
              aria-keyshortcuts="P"
              onClick={() => step(-1)}
            >
              <Trans>Previous</Trans>
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              leftSection={<IconChevronDown size={15} />}
              aria-keyshortcuts="N"
              onClick={() => step(1)}
            >
              <Trans>Next</Trans>
            </Button>
            <Text size="xs" c="var(--faint)">
              <Trans>
                {number} of {total}
              </Trans>
            </Text>
          </Group>
        )}
        <ChangeList label={t`What changed`} told={told} chosen={at} onChoose={setChosen} />
      </aside>
    </>
  );
}

type Told = ReturnType<typeof compare>['told'];

const edgesById = (before: Graph, after: Graph) =>
  new Map([...before.edges, ...after.edges].map((edge) => [edgeId(edge), edge]));

const useChosenNode = (told: Told[number] | undefined, before: Graph, after: Graph) =>
  useMemo(() => told && nodeOf(told, edgesById(before, after)), [told, before, after]);

/** n and p, as in a review of code. */
function useStepKeys(step: (by: number) => void) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      if (isTyping(event.target) || isBehindDialog()) return;
      if (event.key === 'n') step(1);
      if (event.key === 'p') step(-1);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });
}
