/** Connecting by a list: every port that a wire could lead to, and why some refuse it. */
import type { Verdict } from '@cogworks/graph/edit/ports';
import type { Definitions, Graph } from '@cogworks/graph/types';
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { useEditor, useEditorState } from '../editor.ts';
import classes from './canvas.module.css';
import { useCanvasView } from './canvas-context.ts';
import { idIn, inPort, outPort } from './flow.ts';
import { connectWire } from './use-wiring.ts';
import { type CardPort, portWords, verdictsOfWire, wireBetween } from './verdicts.ts';

type Props = { card: string; onClose: () => void };

export function ConnectDialog(props: Props) {
  const graph = useEditorState((state) => state.graph);
  const definitions = useEditorState((state) => state.definitions);
  const ports = portsOf(graph, definitions, props.card);
  const name = idIn('node', props.card) ?? idIn('input', props.card) ?? '';
  const title = graph.nodes.find(({ key }) => key === name)?.title || name;
  return (
    <Dialog opened onClose={props.onClose} title={`Connect ${title}`}>
      {ports.length === 0 ? (
        <Text size="sm">This node has no ports.</Text>
      ) : (
        <Connecting {...props} ports={ports} graph={graph} definitions={definitions} />
      )}
    </Dialog>
  );
}

type ConnectingProps = Props & {
  ports: readonly (CardPort & { label: string })[];
  graph: Graph;
  definitions: Definitions;
};

function Connecting({ ports, graph, definitions, onClose }: ConnectingProps) {
  const [chosen, setChosen] = useState(0);
  const [search, setSearch] = useState('');
  const start = ports[chosen] ?? ports[0];
  const verdicts = useMemo(
    () => (start ? [...verdictsOfWire(graph, definitions, start)] : []),
    [graph, definitions, start],
  );
  if (!start) return null;
  const rows = verdicts
    .map(([key, verdict]) => {
      const [card = '', handle = ''] = key.split('\n');
      return { port: { card, handle }, words: portWords(graph, { card, handle }), verdict };
    })
    .filter(({ words }) => words.toLowerCase().includes(search.trim().toLowerCase()))
    .toSorted((a, b) => Number(b.verdict.ok) - Number(a.verdict.ok));
  return (
    <Stack gap="sm">
      {ports.length > 1 && (
        <Select
          label="From"
          data={ports.map(({ label }, index) => ({ value: String(index), label }))}
          value={String(chosen)}
          allowDeselect={false}
          onChange={(value) => setChosen(Number(value))}
        />
      )}
      <TextInput
        label={ports.length > 1 ? 'To' : `${start.label} to`}
        placeholder="Find a port"
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        data-autofocus
      />
      <ul className={classes.ports}>
        {rows.slice(0, 100).map(({ port, words, verdict }) => (
          <li key={`${port.card} ${port.handle}`}>
            <PortRow start={start} port={port} words={words} verdict={verdict} onClose={onClose} />
          </li>
        ))}
      </ul>
      {rows.length === 0 && <Text size="sm">No port is called so.</Text>}
    </Stack>
  );
}

type RowProps = {
  start: CardPort;
  port: CardPort;
  words: string;
  verdict: Verdict;
  onClose: () => void;
};

function PortRow({ start, port, words, verdict, onClose }: RowProps) {
  const editor = useEditor();
  const view = useCanvasView();
  const edge = wireBetween(start, port);
  if (verdict.ok) {
    return (
      <button
        type="button"
        className={classes.portRow}
        onClick={() => {
          if (edge) view.set({ spoken: connectWire(editor, edge) });
          onClose();
        }}
      >
        {words}
      </button>
    );
  }
  return (
    <div className={classes.portRow} data-refused>
      {words}
      <Text size="xs" c="var(--faint)">
        {verdict.message}
      </Text>
      <Group gap={6} mt={4}>
        {verdict.fixes.map((fix) => (
          <Button
            key={fix.words}
            size="compact-xs"
            variant="light"
            onClick={() => {
              editor.edit(fix.words, fix.apply);
              view.set({ spoken: fix.words });
              onClose();
            }}
          >
            {fix.words}
          </Button>
        ))}
      </Group>
    </div>
  );
}

/** Outputs first: most wires lead on. */
function portsOf(graph: Graph, definitions: Definitions, card: string) {
  if (idIn('input', card) !== undefined) return [{ card, handle: outPort(''), label: 'The files' }];
  const node = graph.nodes.find(({ key }) => key === idIn('node', card));
  const definition = node && definitions.get(node.node_definition_id);
  const port = (side: 'in' | 'out', name: string) => ({
    card,
    handle: side === 'in' ? inPort(name) : outPort(name),
    label: side === 'in' ? `Input ${name}` : `Output ${name}`,
  });
  return [
    ...(definition?.outputs ?? []).map(({ name }) => port('out', name)),
    ...(definition?.inputs ?? []).map(({ name }) => port('in', name)),
  ];
}
