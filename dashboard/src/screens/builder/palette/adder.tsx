/**
 * The palette at a place of the canvas: only what fits a wire that was let go there. Arrow keys
 * choose, Enter adds and connects, in one step of undo.
 */
import { addNode, connect, keyFor, type Point } from '@cogworks/graph/edit/edits';
import { verdictOn } from '@cogworks/graph/edit/ports';
import type { Graph, GraphEdge } from '@cogworks/graph/types';
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useCatalogue } from '../../../catalogue.ts';
import { focusWhenShown } from '../../../ui/focus-when-shown.ts';
import { useCanvasView } from '../canvas/canvas-context.ts';
import { type CardPort, sourceOf, targetOf } from '../canvas/verdicts.ts';
import { type Editor, type EditorState, useEditor } from '../editor.ts';
import { freePlace } from '../edits/adding.ts';
import { withPlaces } from '../edits/placing.ts';
import { portY } from '../layout/geometry.ts';
import { nodeId } from '../selection.ts';
import { DefinitionRow } from './definition-row.tsx';
import { type Fitting, findIn, fittingOnes, latestOf, titleOf } from './found.ts';
import classes from './palette.module.css';

type Props = {
  /** Where a wire was let go; else the node finds a place of its own. */
  at: Point | undefined;
  start: CardPort | undefined;
  onClose: () => void;
};

export function Adder({ at, start, onClose }: Props) {
  const editor = useEditor();
  const view = useCanvasView();
  const { data: catalogue = [] } = useCatalogue();
  const [search, setSearch] = useState('');
  const [active, setActive] = useState(0);
  const list = useId();
  const rows = useRef<HTMLDivElement>(null);
  const offered = offeredFor(editor.getState(), catalogue, start);
  const found = new Set(
    findIn(
      offered.map(({ definition }) => definition),
      search,
    ),
  );
  const fitting = offered.filter(({ definition }) => found.has(definition));
  const add = (one: Fitting | undefined) => {
    if (!one) return;
    const words = addFitting(editor, one, at, start);
    view.set({ spoken: words });
    onClose();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === 'Enter') add(fitting[active]);
    else if (by) setActive(Math.max(0, Math.min(fitting.length - 1, active + by)));
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    rows.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <>
      <TextInput
        aria-label={t`Find a step to add`}
        placeholder={start ? t`Find a step that fits` : t`Find a step`}
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={fitting[active] ? `${list}-${active}` : undefined}
        autoComplete="off"
        data-autofocus
        // The popover's own focus comes by a timer, and keys typed before it are of the canvas.
        ref={focusWhenShown}
        value={search}
        onChange={(event) => {
          setSearch(event.currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={rows} id={list} role="listbox" aria-label={t`Steps`} className={classes.options}>
        {fitting.map((one, index) => (
          <DefinitionRow
            key={one.definition.id}
            id={`${list}-${index}`}
            isOption
            isActive={index === active}
            definition={one.definition}
            onAdd={() => add(one)}
          />
        ))}
      </div>
      {fitting.length === 0 && (
        <Text size="sm" c="var(--faint)" mt="sm">
          {start && search === ''
            ? t`No step of the catalogue fits here.`
            : t`No step is like this.`}
        </Text>
      )}
    </>
  );
}

/** With a wire what fits its end, the very type first; else everything. */
function offeredFor(
  { graph, definitions }: EditorState,
  catalogue: readonly NodeDefinition[],
  start: CardPort | undefined,
): Fitting[] {
  const latest = latestOf(catalogue);
  if (!start) return latest.map((definition) => ({ definition, port: '' }));
  const uses = new Map<number, number>();
  for (const { node_definition_id: id } of graph.nodes) uses.set(id, (uses.get(id) ?? 0) + 1);
  const definitionOf = (key: string) => {
    const node = graph.nodes.find((one) => one.key === key);
    return node && definitions.get(node.node_definition_id);
  };
  const source = sourceOf(start);
  if (source) {
    const type =
      'node' in source
        ? definitionOf(source.node)?.outputs.find(({ name }) => name === source.port)?.media_type
        : undefined;
    const types =
      'node' in source
        ? type
          ? [type]
          : undefined
        : graph.inputs.find(({ name }) => name === source.input)?.media_types;
    return fittingOnes(latest, 'behind', types, uses);
  }
  const target = targetOf(start);
  const port = target && definitionOf(target.node)?.inputs.find(({ name }) => name === target.port);
  return fittingOnes(latest, 'before', port?.media_types ?? undefined, uses);
}

/** Adds it and draws the wire, or what makes the wire possible. @returns what was done, in words. */
function addFitting(
  editor: Editor,
  { definition, port }: Fitting,
  at: Point | undefined,
  start: CardPort | undefined,
): string {
  const state = editor.getState();
  const title = titleOf(definition);
  const key = keyFor(state.graph, title);
  const isBefore = start !== undefined && sourceOf(start) === undefined;
  // The port lies where the wire was let go.
  const position = at
    ? { x: Math.round(isBefore ? at.x - 240 : at.x), y: Math.round(at.y - portY(0)) }
    : freePlace(state);
  const words = t`Added ${title}`;
  const source = start && sourceOf(start);
  const target = start && targetOf(start);
  const edge: GraphEdge | undefined = source
    ? { from: source, to: { node: key, port } }
    : target
      ? { from: { node: key, port }, to: target }
      : undefined;
  editor.edit(words, (graph) => {
    const added = addNode(withPlaces(graph, state.definitions), definition, { key, position });
    return edge ? connected(added, state, edge) : added;
  });
  editor.select([nodeId(key)]);
  return words;
}

function connected(graph: Graph, { definitions }: EditorState, edge: GraphEdge): Graph {
  const verdict = verdictOn(graph, definitions, edge);
  if (verdict.ok) return connect(graph, edge);
  // As it is offered at a refused port, for example: once for each file.
  return verdict.fixes[0]?.apply(graph) ?? graph;
}
