/** Adds a step by a list: behind another one, connected to it, or at the end. */
import { addNode, connect, keyFor } from '@cogworks/graph/edit/edits';
import { verdictOn } from '@cogworks/graph/edit/ports';
import type { Definitions, EdgeSource, Graph, GraphEdge } from '@cogworks/graph/types';
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { useCatalogue } from '../../../catalogue.ts';
import { Await } from '../../../ui/await.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { useEditor, useEditorState } from '../editor.ts';
import { shortTypes } from '../media-words.ts';
import { findIn, latestOf, titleOf } from '../palette/found.ts';
import { NothingFound } from '../palette/nothing-found.tsx';
import { listed, titlesOf } from '../step-words.ts';
import classes from './connections.module.css';

type Props = {
  /** The node or input that it takes its files from; undefined adds it unconnected. */
  after?: { node: string } | { input: string } | undefined;
  onClose: () => void;
  onAdded: (key: string) => void;
};

export function AddStepDialog({ after, onClose, onAdded }: Props) {
  const graph = useEditorState((state) => state.graph);
  const name =
    after && ('node' in after ? (titlesOf(graph).get(after.node) ?? after.node) : after.input);
  return (
    <Dialog opened onClose={onClose} title={name ? t`Add a step after ${name}` : t`Add a step`}>
      <Await query={useCatalogue()}>
        {(catalogue) => (
          <Choices
            catalogue={latestOf(catalogue)}
            after={after}
            onAdded={(key) => {
              onClose();
              onAdded(key);
            }}
          />
        )}
      </Await>
    </Dialog>
  );
}

type ChoicesProps = {
  catalogue: readonly NodeDefinition[];
  after: Props['after'];
  onAdded: (key: string) => void;
};

function Choices({ catalogue, after, onAdded }: ChoicesProps) {
  const editor = useEditor();
  const graph = useEditorState((state) => state.graph);
  const definitions = useEditorState((state) => state.definitions);
  const [search, setSearch] = useState('');
  const offers = useMemo(
    () =>
      catalogue
        .map((definition) => ({ definition, plan: planOf(graph, definitions, definition, after) }))
        .toSorted((a, b) => Number(b.plan.fits) - Number(a.plan.fits)),
    [catalogue, graph, definitions, after],
  );
  const wanted = new Set(findIn(catalogue, search));
  const found = offers.filter(({ definition }) => wanted.has(definition));
  const add = ({ definition, plan }: { definition: NodeDefinition; plan: Plan }) => {
    const title = titleOf(definition);
    editor.edit(t`Added ${title}`, () => plan.graph);
    onAdded(plan.key);
  };
  return (
    <>
      <TextInput
        aria-label={t`Find a step to add`}
        placeholder={t`Find: crop, text, takes pdf`}
        value={search}
        onChange={(event) => setSearch(event.currentTarget.value)}
        onKeyDown={(event) => {
          const [first] = found;
          if (event.key !== 'Enter' || !first) return;
          event.preventDefault();
          add(first);
        }}
        mb="xs"
        data-autofocus
      />
      <ul className={classes.list} aria-label={t`Steps to add`}>
        {found.slice(0, 100).map(({ definition, plan }) => (
          <li key={definition.id}>
            <button
              type="button"
              className={classes.offer}
              onClick={() => add({ definition, plan })}
            >
              <span>{titleOf(definition)}</span>
              <span className={classes.facts}>{factsOf(definition, plan.fits, after)}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <NothingFound isCatalogueEmpty={catalogue.length === 0} />}
    </>
  );
}

function factsOf(
  { inputs, outputs }: NodeDefinition,
  fits: boolean,
  after: Props['after'],
): string {
  if (after && !fits) return t`not connected: it takes other files`;
  const takes = inputs.map(({ media_types }) => shortTypes(media_types));
  const gives = outputs.map(({ media_type }) => shortTypes(media_type ? [media_type] : null));
  return `${listed(takes) || t`no file`} → ${listed([...new Set(gives)]) || t`nothing`}`;
}

type Plan = { graph: Graph; key: string; fits: boolean };

/** The graph with the step, and the first connection that fits; mapped where only that fits. */
export function planOf(
  graph: Graph,
  definitions: Definitions,
  definition: Pick<NodeDefinition, 'id' | 'name' | 'title'>,
  after: Props['after'],
): Plan {
  const title = definition.title || definition.name;
  const key = keyFor(graph, title);
  const added = addNode(graph, { ...definition, title }, { key, ...placeBehind(graph, after) });
  for (const from of sourcesOf(graph, definitions, after)) {
    for (const port of definitions.get(definition.id)?.inputs ?? []) {
      const edge: GraphEdge = { from, to: { node: key, port: port.name } };
      const verdict = verdictOn(added, definitions, edge);
      if (verdict.ok) return { graph: connect(added, edge), key, fits: true };
      const [mapped] = verdict.fixes.filter(
        ({ apply }) => apply(added).nodes.length === added.nodes.length,
      );
      if (mapped) return { graph: mapped.apply(added), key, fits: true };
    }
  }
  return { graph: added, key, fits: after === undefined };
}

function sourcesOf(graph: Graph, definitions: Definitions, after: Props['after']): EdgeSource[] {
  if (!after) return [];
  if ('input' in after) return [after];
  const node = graph.nodes.find(({ key }) => key === after.node);
  const outputs = definitions.get(node?.node_definition_id ?? 0)?.outputs ?? [];
  return outputs.map(({ name }) => ({ node: after.node, port: name }));
}

/** Beside the step before, as the drawing shows it. */
function placeBehind(graph: Graph, after: Props['after']) {
  const before =
    after && 'node' in after ? graph.nodes.find(({ key }) => key === after.node) : undefined;
  return before?.position ? { position: { x: before.position.x + 280, y: before.position.y } } : {};
}
