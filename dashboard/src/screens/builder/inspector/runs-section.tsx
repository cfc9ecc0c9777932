/** How often a node runs, under which condition, and what its failure means. */

import { setNodeField } from '@cogworks/graph/edit/edits';
import type { FileScope } from '@cogworks/graph/expression';
import { parseExpression } from '@cogworks/graph/expression-syntax';
import { stemOf } from '@cogworks/graph/template';
import type { NodeDefinition, Retry } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
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
  const name = title || key;
  const gathers = graph.edges.filter(({ to }, at) => to.node === key && roles[at] === 'gather');
  const domain = wouldBe ? domainWords(wouldBe, titles) : '';
  const each = wouldBe ? t`Once for each file of ${domain}` : t`Once for each file`;
  return (
    <Section title={t`Runs`} pointer="/map">
      <Radio.Group
        aria-label={t`How often it runs`}
        value={map ? 'each' : 'all'}
        onChange={(value) =>
          edits.edit(
            value === 'each'
              ? t`${name} runs once for each file`
              : t`${name} runs once for all files`,
            `/map ${key}`,
            (now) => setNodeField(now, key, 'map', value === 'each' ? true : undefined),
          )
        }
      >
        <Stack gap={8}>
          <Radio size="sm" value="each" label={each} disabled={isReadOnly} />
          <Radio size="sm" value="all" label={t`Once for all files`} disabled={isReadOnly} />
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
  const name = title || key;
  const scope = { node, definition, variables: graph.variables };
  const fault = faults.get('/when');
  const parsed = when === '' ? undefined : parseExpression(when);
  return (
    <Section title={t`Condition`} pointer="/when">
      <CompletionInput
        id={id}
        aria-label={t`Runs only if`}
        aria-describedby={`${id}-words`}
        placeholder={node.map ? 'file.size_bytes > 1000000' : 'vars.language == "en"'}
        value={when}
        error={fault !== undefined}
        readOnly={isReadOnly}
        isLong
        suggest={(before) => suggestNames(scope, before)}
        onChange={(text) =>
          edits.edit(t`Condition of ${name}`, `/when ${key}`, (now) =>
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
        {!parsed && (
          <Meaning>
            <Trans>Without a condition it always runs.</Trans>
          </Meaning>
        )}
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
  return (
    <Meaning>
      {needsFile && sample ? (
        <ForFile runs={result} file={sample} />
      ) : (
        <WithDefaults runs={result} />
      )}
    </Meaning>
  );
}

const WithDefaults = ({ runs }: { runs: boolean }) =>
  runs ? (
    <Trans>
      With the defaults: <b className={classes.result}>runs</b>.
    </Trans>
  ) : (
    <Trans>
      With the defaults: <b className={classes.result}>is left out</b>.
    </Trans>
  );

function ForFile({ runs, file }: { runs: boolean; file: FileScope }) {
  const { name } = file;
  const size = formatSize(file.size_bytes);
  return runs ? (
    <Trans>
      With the defaults: <b className={classes.result}>runs</b> for {name}, {size}.
    </Trans>
  ) : (
    <Trans>
      With the defaults: <b className={classes.result}>is left out</b> for {name}, {size}.
    </Trans>
  );
}

export function FailureSection({ node, edits }: Props) {
  const isReadOnly = useIsReadOnly();
  const { data: catalogue } = useCatalogue();
  const definition = catalogue?.find(({ id }) => id === node.node_definition_id);
  const { key, title, on_error = 'fail' } = node;
  const name = title || key;
  return (
    <Section title={t`If it fails`} pointer="/on_error">
      <Radio.Group
        aria-label={t`If it fails`}
        value={on_error}
        onChange={(value) =>
          edits.edit(
            value === 'continue'
              ? t`The others go on if ${name} fails`
              : t`What needs ${name} is left out if it fails`,
            `/on_error ${key}`,
            (now) =>
              setNodeField(now, key, 'on_error', value === 'continue' ? 'continue' : undefined),
          )
        }
      >
        <Stack gap={8}>
          <Radio size="sm" value="fail" label={t`Leave out what needs it`} disabled={isReadOnly} />
          <Radio size="sm" value="continue" label={t`Let the others go on`} disabled={isReadOnly} />
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
  const longest = formatDuration(timeout_seconds * 1000);
  const kinds = retry.on.map((kind) => errorKinds[kind] ?? kind.replaceAll('_', ' ')).join(', ');
  const tries =
    retry.max_attempts > 1 && retry.on.length > 0
      ? plural(retry.max_attempts, {
          one: `It is tried up to # time, if the reason is: ${kinds}.`,
          other: `It is tried up to # times, if the reason is: ${kinds}.`,
        })
      : t`It is tried once; only faults of workers and network are tried again.`;
  const settings = t`A try may take ${longest}. Both are set by its definition.`;
  return `${tries} ${settings}`;
}

const errorKinds: Readonly<Record<string, string>> = {
  exit_nonzero: t`the program failed`,
  oom: t`out of memory`,
  timeout: t`it took too long`,
  disk_limit: t`it wrote more than its disk holds`,
};
