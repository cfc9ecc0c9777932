/** The params of a node, as its definition declares them; values may come from variables. */
import { stepsOf } from '@cogworks/graph/edit/changes';
import { addVariable, changeNode, setParam, variableNameFor } from '@cogworks/graph/edit/edits';
import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { api } from '../../../api.ts';
import { referenceTo, variableFor, withValueAt } from '../../../schema-form/bindings.ts';
import type { Binding } from '../../../schema-form/form.ts';
import { labelOf, membersOf, type Schema } from '../../../schema-form/kinds.ts';
import { SchemaForm } from '../../../schema-form/schema-form.tsx';
import { useEditor } from '../editor.ts';
import type { FieldEdits } from './field-edits.ts';
import { FaultWords, Section } from './section.tsx';
import { type NodeProps, useFaultsAt, useIsReadOnly } from './use-node.ts';

const noSchema: Schema = {};

export function ParamsSection({
  node,
  graph,
  definition,
  edits,
}: NodeProps & { edits: FieldEdits }) {
  const isReadOnly = useIsReadOnly();
  const faults = useFaultsAt(`node:${node.key}`);
  const schema = definition?.params ?? noSchema;
  const binding = useBinding(node, graph.variables, schema);
  const secrets = useSecretNames();
  const { key, title, params = {} } = node;
  const isEmpty = membersOf(schema).length === 0 && Object.keys(params).length === 0;
  const name = title || key;
  return (
    <Section title={t`Settings`} pointer="/params">
      {isEmpty ? (
        <Text size="sm" c="var(--faint)">
          {definition ? t`This step has none.` : t`They are known with its definition.`}
        </Text>
      ) : (
        <SchemaForm
          schema={schema}
          value={params}
          pointer="/params"
          faults={faults}
          secrets={secrets}
          binding={binding}
          isReadOnly={isReadOnly}
          onChange={(param, value) => {
            const label = paramLabel(schema, param);
            edits.edit(t`${label} of ${name}`, `/params/${param} ${key}`, (now) =>
              setParam(now, key, param, value),
            );
          }}
        />
      )}
      <FaultWords>{faults.get('/params')}</FaultWords>
    </Section>
  );
}

function paramLabel(schema: Schema, name: string): string {
  const member = membersOf(schema).find((one) => one.name === name);
  return labelOf(name, member?.schema ?? {});
}

function useBinding(
  { key, title }: NodeProps['node'],
  variables: Binding['variables'],
  root: Schema,
): Binding {
  const editor = useEditor();
  return useMemo(
    () => ({
      variables,
      declare: (pointer, label, schema, value) => {
        const { graph } = editor.getState();
        const [, ...steps] = stepsOf(pointer);
        const name = variableNameFor(graph, steps.at(-1) ?? label);
        const variable = variableFor(name, schema, value, root);
        if (!variable) return;
        const step = title || key;
        editor.edit(t`${label} of ${step} is now the variable ${name}`, (now) => {
          const reference = referenceTo(name);
          return changeNode(addVariable(now, variable), key, ({ params, ...node }) => ({
            ...node,
            params: withValueAt(params ?? {}, steps, reference) as Record<string, unknown>,
          }));
        });
      },
    }),
    [editor, key, title, variables, root],
  );
}

/** The names of secrets that steps can be given; undefined until they are known. */
function useSecretNames(): readonly string[] | undefined {
  const { data } = useQuery({
    queryKey: ['secrets'],
    queryFn: () => api.listSecrets({ query: { limit: 1000 } }),
  });
  return useMemo(
    () => data?.filter(({ kind }) => kind === 'generic').map(({ name }) => name),
    [data],
  );
}
