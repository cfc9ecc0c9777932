/** What a node takes and gives: its ports, the edges at them, and when it goes on. */
import { disconnect, setRatio } from '@cogworks/graph/edit/edits';
import type { EdgeRole } from '@cogworks/graph/lanes';
import type { EdgeSource, GraphEdge, InputPort, PortOfNode } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Text, TextInput } from '@mantine/core';
import {
  IconArrowNarrowLeft,
  IconArrowNarrowRight,
  IconPlus,
  IconUnlink,
} from '@tabler/icons-react';
import { useState } from 'react';
import { numberIn } from '../../../schema-form/plain-fields.tsx';
import { ConnectDialog } from '../connections/connect-dialog.tsx';
import { useEditor } from '../editor.ts';
import { shortTypes } from '../media-words.ts';
import { edgeMeaning, ratioMeaning, sourceWords } from '../step-words.ts';
import type { FieldEdits } from './field-edits.ts';
import classes from './inspector.module.css';
import { FaultWords, Meaning, Section } from './section.tsx';
import {
  type NodeProps,
  useDefinitions,
  useFaultsAt,
  useIsReadOnly,
  useLanes,
  useTitles,
} from './use-node.ts';

type Props = NodeProps & { edits: FieldEdits };

const inputWords = {
  one: t`one file`,
  many: t`any number`,
  optional: t`may stay empty`,
} as const;

const outputWords = {
  one: t`one file`,
  many: t`any number`,
  optional: t`one file or none`,
} as const;

export function TakesSection({ node, graph, definition, edits }: Props) {
  const isReadOnly = useIsReadOnly();
  const faults = useFaultsAt(`node:${node.key}`);
  const { roles } = useLanes(graph, useDefinitions());
  const [connecting, setConnecting] = useState<PortOfNode>();
  const edges = graph.edges
    .map((edge, at) => ({ edge, role: roles[at] ?? ('plain' as const) }))
    .filter(({ edge }) => edge.to.node === node.key);
  const ports: Pick<InputPort, 'name' | 'title' | 'media_types' | 'cardinality'>[] = [
    ...(definition?.inputs ?? []),
  ];
  const declared = new Set(ports.map(({ name }) => name));
  const lost = [...new Set(edges.map(({ edge }) => edge.to.port))].filter(
    (it) => !declared.has(it),
  );
  if (ports.length === 0 && lost.length === 0) return null;
  const linesOf = (port: string) => (
    <>
      {edges
        .filter(({ edge }) => edge.to.port === port)
        .map(({ edge, role }) => (
          <EdgeLine
            key={JSON.stringify(edge.from)}
            edge={edge}
            role={role}
            graph={graph}
            edits={edits}
          />
        ))}
      <FaultWords>{faults.get(`/ports/${port}`)}</FaultWords>
    </>
  );
  return (
    <Section title={t`Takes`}>
      <ul className={classes.ports}>
        {ports.map(({ name: port, title, media_types, cardinality }) => {
          const name = title || port;
          return (
            <li key={port} className={classes.port} data-pointer={`/ports/${port}`}>
              <PortHead
                name={name}
                facts={`${shortTypes(media_types)}, ${inputWords[cardinality]}`}
                label={t`Connect ${name}`}
                onConnect={isReadOnly ? undefined : () => setConnecting({ node: node.key, port })}
              />
              {linesOf(port)}
            </li>
          );
        })}
        {lost.map((name) => (
          <li key={name} className={classes.port} data-pointer={`/ports/${name}`}>
            <PortHead name={name} facts={t`not there in this version of its definition`} />
            {linesOf(name)}
          </li>
        ))}
      </ul>
      {connecting && <ConnectDialog to={connecting} onClose={() => setConnecting(undefined)} />}
    </Section>
  );
}

type HeadProps = {
  name: string;
  facts: string;
  label?: string;
  onConnect?: (() => void) | undefined;
};

const PortHead = ({ name, facts, label, onConnect }: HeadProps) => (
  <div className={classes.portHead}>
    <span className={classes.portName}>
      {name} <span className={classes.faint}>{facts}</span>
    </span>
    {onConnect && (
      <ActionIcon size={26} aria-label={label} onClick={onConnect}>
        <IconPlus size={16} />
      </ActionIcon>
    )}
  </div>
);

type EdgeProps = { edge: GraphEdge; role: EdgeRole; graph: NodeProps['graph']; edits: FieldEdits };

function EdgeLine({ edge, role, graph, edits }: EdgeProps) {
  const editor = useEditor();
  const isReadOnly = useIsReadOnly();
  const titles = useTitles(graph);
  const source = sourceWords(edge.from, titles);
  const target = titles.get(edge.to.node) ?? edge.to.node;
  return (
    <div className={classes.edge}>
      <div className={classes.edgeHead}>
        <IconArrowNarrowLeft size={16} aria-hidden className={classes.arrow} />
        <button
          type="button"
          className={classes.edgeName}
          onClick={() =>
            editor.select([
              'node' in edge.from ? `node:${edge.from.node}` : `input:${edge.from.input}`,
            ])
          }
        >
          {source}
        </button>
        {!isReadOnly && (
          <ActionIcon
            size={26}
            aria-label={t`Disconnect ${source}`}
            onClick={() =>
              editor.edit(t`Disconnected ${source} from ${target}`, (now) => disconnect(now, edge))
            }
          >
            <IconUnlink size={15} />
          </ActionIcon>
        )}
      </div>
      <Meaning>{edgeMeaning(edge, role)}</Meaning>
      {role === 'gather' && <Ratio edge={edge} graph={graph} edits={edits} />}
    </div>
  );
}

/** In percent, as people say it. */
export function Ratio({ edge, graph, edits }: Omit<EdgeProps, 'role'>) {
  const isReadOnly = useIsReadOnly();
  const [typed, setTyped] = useState<string>();
  const { from, min_success_ratio: ratio } = edge;
  const source = 'node' in from ? graph.nodes.find(({ key }) => key === from.node) : undefined;
  const value = typed === undefined ? undefined : numberIn(typed);
  const isNone =
    typed !== undefined && (value === null || Number(value) < 0 || Number(value) > 100);
  const shown = typed ?? (ratio === undefined ? '' : String(Number((ratio * 100).toFixed(4))));
  return (
    <div data-pointer="/min_success_ratio">
      <TextInput
        size="sm"
        label={t`Share of files that must come through, in %`}
        placeholder="100"
        inputMode="decimal"
        value={shown}
        readOnly={isReadOnly}
        error={isNone ? t`This is a number from 0 to 100.` : undefined}
        onBlur={() => !isNone && setTyped(undefined)}
        onChange={({ currentTarget: { value: text } }) => {
          setTyped(text);
          const next = numberIn(text);
          if (next === null || Number(next ?? 0) < 0 || Number(next ?? 0) > 100) return;
          const step = edge.to.node;
          edits.edit(
            t`Share of files for ${step}`,
            `/ratio ${JSON.stringify([from, edge.to])}`,
            (now) => setRatio(now, edge, next === undefined ? undefined : next / 100),
          );
        }}
      />
      <Meaning>{ratioMeaning(edge, source)}</Meaning>
    </div>
  );
}

export function GivesSection({ node, graph, definition }: NodeProps) {
  const editor = useEditor();
  const isReadOnly = useIsReadOnly();
  const titles = useTitles(graph);
  const [connecting, setConnecting] = useState<EdgeSource>();
  const outputs = definition?.outputs ?? [];
  if (outputs.length === 0) return null;
  const taken = graph.edges.filter(({ from }) => 'node' in from && from.node === node.key);
  return (
    <Section title={t`Gives`}>
      <ul className={classes.ports}>
        {outputs.map(({ name, media_type, cardinality }) => {
          const targets = taken.filter(({ from }) => 'node' in from && from.port === name);
          const types = shortTypes(media_type ? [media_type] : null);
          return (
            <li key={name} className={classes.port}>
              <PortHead
                name={name}
                facts={`${types}, ${outputWords[cardinality]}`}
                label={t`Connect ${name}`}
                onConnect={
                  isReadOnly ? undefined : () => setConnecting({ node: node.key, port: name })
                }
              />
              {targets.map(({ to: { node: key, port } }) => {
                const step = titles.get(key) ?? key;
                return (
                  <div key={JSON.stringify([key, port])} className={classes.edgeHead}>
                    <IconArrowNarrowRight size={16} aria-hidden className={classes.arrow} />
                    <button
                      type="button"
                      className={classes.edgeName}
                      onClick={() => editor.select([`node:${key}`])}
                    >
                      <Trans>
                        {port} of {step}
                      </Trans>
                    </button>
                  </div>
                );
              })}
              {targets.length === 0 && (
                <Text size="xs" c="var(--faint)">
                  {taken.length === 0 ? t`A result of the workflow.` : t`No step takes it.`}
                </Text>
              )}
            </li>
          );
        })}
      </ul>
      {connecting && <ConnectDialog from={connecting} onClose={() => setConnecting(undefined)} />}
    </Section>
  );
}
