/** Connects a port by a list instead of a line: what fits, and why the rest does not. */

import { edgeId } from '@cogworks/graph/edit/changes';
import { addInput, connect, inputNameFor } from '@cogworks/graph/edit/edits';
import { portId, type Verdict, verdictsFrom, verdictsTo } from '@cogworks/graph/edit/ports';
import { topologicalOrder } from '@cogworks/graph/order';
import type { EdgeSource, GraphEdge, PortOfNode } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { formatCount } from '../../../ui/format.ts';
import { useEditor, useEditorState } from '../editor.ts';
import { MendButtons } from '../faults/mend-buttons.tsx';
import { shortTypes } from '../media-words.ts';
import { portOf, sourceWords, titlesOf } from '../step-words.ts';
import classes from './connections.module.css';

type Props = ({ from: EdgeSource; to?: undefined } | { to: PortOfNode; from?: undefined }) & {
  onClose: () => void;
};

type Offer = { edge: GraphEdge; title: string; facts: string; verdict: Verdict };

export function ConnectDialog({ from, to, onClose }: Props) {
  const editor = useEditor();
  const graph = useEditorState((state) => state.graph);
  const titles = titlesOf(graph);
  const offers = useOffers(from, to);
  const [search, setSearch] = useState('');
  const found = offers.filter(({ title }) => title.toLowerCase().includes(search.toLowerCase()));
  const fitting = found.filter(({ verdict }) => verdict.ok);
  const refused = found.filter(({ verdict }) => !verdict.ok);
  const name = from ? sourceWords(from, titles) : portOf(titles.get(to.node) ?? to.node, to.port);
  const take = (edge: GraphEdge) => {
    editor.edit(wordsOf(edge, titles), (now) => connect(now, edge));
    onClose();
  };
  return (
    <Dialog opened onClose={onClose} title={from ? t`Connect ${name} to` : t`Connect to ${name}`}>
      {offers.length > 8 && (
        <TextInput
          aria-label={t`Find a step`}
          placeholder={t`Find a step`}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          mb="sm"
          data-autofocus
        />
      )}
      {fitting.length === 0 && (
        <Text size="sm" c="var(--faint)">
          {from ? t`No step takes such files yet.` : t`Nothing gives such files yet.`}
        </Text>
      )}
      <ul className={classes.list} aria-label={t`Fits`}>
        {fitting.map(({ edge, title, facts }, at) => (
          <li key={edgeId(edge)}>
            <button
              type="button"
              className={classes.offer}
              onClick={() => take(edge)}
              data-autofocus={(offers.length <= 8 && at === 0) || undefined}
            >
              <span>{title}</span>
              <span className={classes.facts}>{facts}</span>
            </button>
          </li>
        ))}
        {to && <NewInput to={to} onDone={onClose} />}
      </ul>
      <Refusals offers={refused} onClose={onClose} />
    </Dialog>
  );
}

function wordsOf({ from, to }: GraphEdge, titles: ReadonlyMap<string, string>) {
  const source = sourceWords(from, titles);
  const step = titles.get(to.node) ?? to.node;
  return t`Connected ${source} to ${step}`;
}

function inputWords(media_types: readonly string[] | undefined) {
  const types = shortTypes(media_types);
  return t`input of the workflow, ${types}`;
}

/** Every port at the other end that is not connected to this one yet, in the order of the work. */
function useOffers(from: EdgeSource | undefined, to: PortOfNode | undefined): Offer[] {
  const graph = useEditorState((state) => state.graph);
  const definitions = useEditorState((state) => state.definitions);
  return useMemo(() => {
    const there = new Set(graph.edges.map(edgeId));
    const titles = titlesOf(graph);
    const verdicts = from
      ? verdictsFrom(graph, definitions, from)
      : to
        ? verdictsTo(graph, definitions, to)
        : new Map<string, Verdict>();
    const byKey = new Map(graph.nodes.map((node) => [node.key, node]));
    const offer = (edge: GraphEdge, end: EdgeSource, title: string, facts: string): Offer[] => {
      const verdict = verdicts.get(portId(end));
      return verdict && !there.has(edgeId(edge)) ? [{ edge, title, facts, verdict }] : [];
    };
    const ofNodes = topologicalOrder(graph).flatMap((key) => {
      const definition = definitions.get(byKey.get(key)?.node_definition_id ?? 0);
      const title = titles.get(key) ?? key;
      // A step never takes what it gives itself.
      if (key === (from && 'node' in from ? from.node : to?.node)) return [];
      if (from) {
        return (definition?.inputs ?? []).flatMap((port) => {
          const end = { node: key, port: port.name };
          return offer(
            { from, to: end },
            end,
            title,
            `${port.title || port.name}, ${shortTypes(port.media_types)}`,
          );
        });
      }
      return (definition?.outputs ?? []).flatMap((port) => {
        const end = { node: key, port: port.name };
        const types = shortTypes(port.media_type ? [port.media_type] : null);
        return to ? offer({ from: end, to }, end, title, `${port.name}, ${types}`) : [];
      });
    });
    const ofInputs = to
      ? graph.inputs.flatMap(({ name, media_types }) =>
          offer({ from: { input: name }, to }, { input: name }, name, inputWords(media_types)),
        )
      : [];
    return [...ofInputs, ...ofNodes];
  }, [graph, definitions, from, to]);
}

function NewInput({ to, onDone }: { to: PortOfNode; onDone: () => void }) {
  const editor = useEditor();
  const add = () => {
    const { graph, definitions } = editor.getState();
    const node = graph.nodes.find(({ key }) => key === to.node);
    const port = definitions
      .get(node?.node_definition_id ?? 0)
      ?.inputs.find(({ name }) => name === to.port);
    const name = inputNameFor(graph, to.port === 'in' ? 'files' : to.port);
    const types = port?.media_types;
    editor.edit(t`Added the input ${name}`, (now) =>
      connect(addInput(now, { name, ...(types?.length ? { media_types: [...types] } : {}) }), {
        from: { input: name },
        to,
      }),
    );
    onDone();
  };
  return (
    <li>
      <button type="button" className={classes.offer} onClick={add}>
        <span className={classes.new}>
          <IconPlus size={15} aria-hidden /> <Trans>A new input of the workflow</Trans>
        </span>
        <span className={classes.facts}>
          <Trans>files that are chosen when it runs</Trans>
        </span>
      </button>
    </li>
  );
}

/** What would make a port fit is worked out for those that are shown: it tries each in the graph. */
const mostRefused = 20;

/** What does not fit, why, and what would make it fit. */
function Refusals({ offers, onClose }: { offers: readonly Offer[]; onClose: () => void }) {
  if (offers.length === 0) return null;
  const more = formatCount(offers.length - mostRefused);
  return (
    <>
      <h3 className={classes.heading}>
        <Trans>Does not fit</Trans>
      </h3>
      <ul className={classes.list} aria-label={t`Does not fit`}>
        {offers.slice(0, mostRefused).map(({ edge, title, facts, verdict }) => (
          <li key={edgeId(edge)} className={classes.refused}>
            <span>
              {title} <span className={classes.facts}>{facts}</span>
            </span>
            {!verdict.ok && (
              <>
                <span className={classes.reason}>{verdict.message}</span>
                <span className={classes.fixes}>
                  <MendButtons mends={verdict.fixes} onDone={onClose} />
                </span>
              </>
            )}
          </li>
        ))}
      </ul>
      {offers.length > mostRefused && (
        <Text size="sm" c="var(--faint)" mt="xs">
          <Trans>And {more} more. Find a step by its name to see why it does not fit.</Trans>
        </Text>
      )}
    </>
  );
}
