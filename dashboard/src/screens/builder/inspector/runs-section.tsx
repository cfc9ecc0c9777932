/** How often a node runs, under which condition, and what its failure means. */

import { setNodeField } from '@cogworks/graph/edit/edits';
import type { FileScope } from '@cogworks/graph/expression';
import { parseExpression } from '@cogworks/graph/expression-syntax';
import { stemOf } from '@cogworks/graph/template';
import type { NodeDefinition, Retry } from '@cogworks/sdk/contract.gen';
import { Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { api } from '../../../api.ts';
import { useCatalogue } from '../../../catalogue.ts';
import { CompletionInput } from '../../../ui/completion-input.tsx';
import { formatDuration, formatSize } from '../../../ui/format.ts';
import { resultFor, suggestNames } from '../conditions.ts';
import { domainWords, errorMeaning, mapMeaning, whenMeaning } from '../step-words.ts';
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
  useWouldBeDomain,
} from './use-node.ts';

type Props = NodeProps & { edits: FieldEdits };

export function MapSection({ node, graph, edits }: Props) {
  const isReadOnly = useIsReadOnly();
  const definitions = useDefinitions();
  const faults = useFaultsAt(`node:${node.key}`);
  const titles = useTitles(graph);
  const { domains, roles } = useLanes(graph, definitions);
  const wouldBe = useWouldBeDomain(graph, definitions, node);
  const { key, title, map } = node;
  const gathers = graph.edges.filter(({ to }, at) => to.node === key && roles[at] === 'gather');
  const each = wouldBe
    ? `Once for each file of ${domainWords(wouldBe, titles)}`
    : 'Once for each file';
  return (
    <Section title="Runs" pointer="/map">
      <Radio.Group
        aria-label="How often it runs"
        value={map ? 'each' : 'all'}
        onChange={(value) =>
          edits.edit(
            `${title || key} runs ${value === 'each' ? 'once for each file' : 'once for all files'}`,
            `/map ${key}`,
            (now) => setNodeField(now, key, 'map', value === 'each' ? true : undefined),
          )
        }
      >
        <Stack gap={8}>
          <Radio size="sm" value="each" label={each} disabled={isReadOnly} />
          <Radio size="sm" value="all" label="Once for all files" disabled={isReadOnly} />
        </Stack>
      </Radio.Group>
      <Meaning>{mapMeaning(node, domains.get(key), titles, gathers)}</Meaning>
      <FaultWords>{faults.get('/map')}</FaultWords>
    </Section>
  );
}

export function ConditionSection({ node, graph, definition, edits }: Props) {
  const id = useId();
  const isReadOnly = useIsReadOnly();
  const faults = useFaultsAt(`node:${node.key}`);
  const { key, title, when = '' } = node;
  const scope = { node, definition, variables: graph.variables };
  const fault = faults.get('/when');
  const parsed = when === '' ? undefined : parseExpression(when);
  return (
    <Section title="Condition" pointer="/when">
      <CompletionInput
        id={id}
        aria-label="Runs only if"
        aria-describedby={`${id}-words`}
        placeholder={node.map ? 'file.size_bytes > 1000000' : 'vars.language == "en"'}
        value={when}
        error={fault !== undefined}
        readOnly={isReadOnly}
        isLong
        suggest={(before) => suggestNames(scope, before)}
        onChange={(text) =>
          edits.edit(`Condition of ${title || key}`, `/when ${key}`, (now) =>
            setNodeField(now, key, 'when', text === '' ? undefined : text),
          )
        }
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
      />
      <div id={`${id}-words`}>
        {parsed && 'ast' in parsed && !fault && (
          <>
            <Meaning>{whenMeaning(parsed.ast, node.map === true)}</Meaning>
            <Result scope={scope} when={when} />
          </>
        )}
        {!parsed && <Meaning>Without a condition it always runs.</Meaning>}
        <FaultWords>{fault}</FaultWords>
      </div>
    </Section>
  );
}

type ResultProps = { scope: Parameters<typeof resultFor>[1]; when: string };

/** What the condition comes to, for the newest file of the first folder if it asks for a file. */
function Result({ scope, when }: ResultProps) {
  const needsFile = scope.node.map === true && /\bfile\./.test(when);
  const { data: file } = useQuery({
    queryKey: ['newest-file'],
    enabled: needsFile,
    staleTime: 60_000,
    queryFn: async () => {
      const query = { cog_type: 'file', sort: '-created_at', limit: 1 } as const;
      const [cog] = await api.listCogs({ query });
      return cog ?? null;
    },
  });
  if (needsFile && !file) return null;
  const sample: FileScope | undefined = file
    ? {
        name: file.name,
        stem: stemOf(file.name),
        media_type: file.mime_type ?? 'application/octet-stream',
        size_bytes: file.size_bytes ?? 0,
      }
    : undefined;
  const result = resultFor(when, scope, sample);
  if (result === null) return null;
  const of = needsFile && file ? ` for ${file.name}, ${formatSize(file.size_bytes ?? 0)}` : '';
  return (
    <Meaning>
      With the defaults: <b className={classes.result}>{result ? 'runs' : 'is left out'}</b>
      {of}.
    </Meaning>
  );
}

export function FailureSection({ node, edits }: Props) {
  const isReadOnly = useIsReadOnly();
  const { data: catalogue } = useCatalogue();
  const definition = catalogue?.find(({ id }) => id === node.node_definition_id);
  const { key, title, on_error = 'fail' } = node;
  return (
    <Section title="If it fails" pointer="/on_error">
      <Radio.Group
        aria-label="If it fails"
        value={on_error}
        onChange={(value) =>
          edits.edit(
            value === 'continue'
              ? `The others go on if ${title || key} fails`
              : `What needs ${title || key} is left out if it fails`,
            `/on_error ${key}`,
            (now) =>
              setNodeField(now, key, 'on_error', value === 'continue' ? 'continue' : undefined),
          )
        }
      >
        <Stack gap={8}>
          <Radio size="sm" value="fail" label="Leave out what needs it" disabled={isReadOnly} />
          <Radio size="sm" value="continue" label="Let the others go on" disabled={isReadOnly} />
        </Stack>
      </Radio.Group>
      <Meaning>{errorMeaning(node)}</Meaning>
      {definition && <Meaning>{triesWords(definition)}</Meaning>}
    </Section>
  );
}

/** The tries are the definition's, and so the same wherever it is used. */
export function triesWords({
  retry,
  timeout_seconds,
}: Pick<NodeDefinition, 'timeout_seconds'> & { retry: Retry }): string {
  const most = `A try may take ${formatDuration(timeout_seconds * 1000)}`;
  const kinds = retry.on.map((kind) => errorKinds[kind] ?? kind.replaceAll('_', ' ')).join(', ');
  const tries =
    retry.max_attempts > 1 && retry.on.length > 0
      ? `It is tried up to ${retry.max_attempts} times, if the reason is: ${kinds}`
      : 'It is tried once; only faults of workers and network are tried again';
  return `${tries}. ${most}. Both are set by its definition.`;
}

const errorKinds: Readonly<Record<string, string>> = {
  exit_nonzero: 'the program failed',
  oom: 'out of memory',
  timeout: 'it took too long',
  disk_limit: 'it wrote more than its disk holds',
};
