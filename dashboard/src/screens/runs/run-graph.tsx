/**
 * The graph of a run with the state of each step. It can be put away, and stays so in this browser.
 * The address or the palette leads to one of its steps.
 */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { IconBox, IconChevronDown, IconChevronRight, IconSitemap } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useCommands, useStepsToFind } from '../../commands/use-commands.ts';
import { GraphView } from '../../ui/graph-view.tsx';
import type { runGraph } from './run-status.ts';

type Props = {
  graph: ReturnType<typeof runGraph>;
  /** The step that the address names. */
  shown: string | undefined;
  onShow: (key: string) => void;
  onChoose: (key: string) => void;
};

export function RunGraph({ graph, shown, onShow, onChoose }: Props) {
  // On a phone, and if it is large, the files come first.
  const [defaultValue] = useState(
    () => graph.nodes.length <= 16 && !window.matchMedia('(max-width: 48em)').matches,
  );
  const [isOpen, setOpen] = useLocalStorage({ key: 'run-graph', defaultValue });
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another address counts
  useEffect(() => {
    if (shown === undefined) return;
    setOpen(true);
    focusBox(shown, mostFrames);
  }, [shown]);
  useStepsToFind(() =>
    graph.nodes
      .filter(({ isInput }) => !isInput)
      .map(({ key, title, note }) => ({
        ...{ id: key, label: title, words: key, icon: IconBox, about: note },
        run: () => {
          setOpen(true);
          onShow(key);
          focusBox(key, mostFrames);
        },
      })),
  );
  useCommands([
    {
      ...{ id: 'graph', label: isOpen ? t`Put the graph away` : t`Show the graph` },
      ...{ icon: IconSitemap, run: () => setOpen(!isOpen) },
    },
  ]);
  return (
    <>
      <Button
        size="compact-sm"
        variant="subtle"
        color="gray"
        mb={6}
        ml={-6}
        aria-expanded={isOpen}
        leftSection={isOpen ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />}
        onClick={() => setOpen(!isOpen)}
      >
        <Trans>Graph</Trans>
      </Button>
      {isOpen && (
        <GraphView label={t`Graph of this run`} {...graph} chosen={shown} onChoose={onChoose} />
      )}
    </>
  );
}

/** The graph may have to be opened first. */
const mostFrames = 30;

function focusBox(key: string, frames: number) {
  requestAnimationFrame(() => {
    const box = document.querySelector<HTMLElement>(`[data-node="${CSS.escape(key)}"]`);
    box?.scrollIntoView({ block: 'center', inline: 'center' });
    box?.focus({ preventScroll: true });
    if (!box && frames > 0) focusBox(key, frames - 1);
  });
}
