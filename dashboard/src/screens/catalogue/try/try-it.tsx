/** Tries a step on chosen files, with settings, without leaving its page. */
import { paramFaults } from '@cogworks/graph/params';
import type { InputPort, NodeDefinition } from '@cogworks/sdk/contract.gen';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text, TextInput, VisuallyHidden } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQueries } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { api } from '../../../api.ts';
import { useMe } from '../../../people.ts';
import { FilePicker } from '../../../run-inputs/file-picker.tsx';
import { SchemaForm } from '../../../schema-form/schema-form.tsx';
import { Problem } from '../../../ui/await.tsx';
import { useSecretNames } from '../queries.ts';
import { useTry } from './queries.ts';
import classes from './try.module.css';
import { filesOf, graphOf, variablesOf, whatIsMissing } from './try-graph.ts';
import { TryRun } from './try-run.tsx';

type Files = Readonly<Record<string, readonly number[]>>;
type Values = Readonly<Record<string, unknown>>;

export function TryIt({ definition }: { definition: NodeDefinition }) {
  const { inputs, params: schema } = definition;
  const [files, setFiles] = useState<Files>({});
  const [params, setParams] = useState<Values>({});
  const [variables, setVariables] = useState<Record<string, string>>({});
  const [isAsked, setAsked] = useState(false);
  const { data: me } = useMe();
  const secrets = useSecretNames();
  const attempt = useTry();
  const named = useMemo(() => variablesOf(definition), [definition]);
  const faults = useMemo(() => faultsOf(definition, params), [definition, params]);
  const missing = whatIsMissing(definition, files);
  const start = () => {
    setAsked(true);
    if (faults.size > 0 || missing || !me) return;
    attempt.mutate({
      userId: me.id,
      graph: graphOf(definition, files, params),
      cog_ids: filesOf(definition, files),
      extra_variables: variables,
    });
  };
  return (
    <section className={classes.box} aria-labelledby="try-it">
      <h2 id="try-it" className={classes.title}>
        <Trans>Try it</Trans>
      </h2>
      <Stack gap="md">
        {inputs.map((port) => (
          <PortFiles
            key={port.name}
            port={port}
            ids={files[port.name] ?? []}
            onChange={(ids) => setFiles({ ...files, [port.name]: ids })}
          />
        ))}
        <SchemaForm
          schema={schema}
          value={params}
          onChange={(name, value) => setParams((old) => ({ ...old, [name]: value }))}
          secrets={secrets.data}
          {...(isAsked && { faults })}
        />
        {named.map((name) => (
          <TextInput
            key={name}
            label={name}
            description={t`A variable of the workflow that uses the step.`}
            value={variables[name] ?? ''}
            onChange={(event) => setVariables({ ...variables, [name]: event.currentTarget.value })}
          />
        ))}
        {attempt.error != null && <Problem title={t`It did not start`} error={attempt.error} />}
        <Group gap="sm">
          <Button
            leftSection={<IconPlayerPlay size={17} />}
            loading={attempt.isPending}
            onClick={start}
          >
            {attempt.data === undefined ? t`Run it` : t`Run it again`}
          </Button>
          {isAsked && missing && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {missing}
            </Text>
          )}
        </Group>
        {attempt.data !== undefined && <TryRun key={attempt.data} runId={attempt.data} />}
      </Stack>
    </section>
  );
}

/** By the pointers of their fields. */
function faultsOf(definition: NodeDefinition, params: Values): ReadonlyMap<string, string> {
  const given = Object.fromEntries(Object.entries(params).filter(([, one]) => one !== undefined));
  return new Map(
    paramFaults(definition, given).map(({ pointer, message }) => [pointer, t`It ${message}.`]),
  );
}

type PortProps = { port: InputPort; ids: readonly number[]; onChange: (ids: number[]) => void };

function PortFiles({ port: { name, title, cardinality }, ids, onChange }: PortProps) {
  const [isPicking, setPicking] = useState(false);
  const isOne = cardinality !== 'many';
  const cogs = useQueries({
    queries: ids
      .slice(0, 1)
      .map((id) => ({ queryKey: ['cog', id], queryFn: () => api.getCog({ path: { id } }) })),
  });
  const first = cogs[0]?.data?.name;
  const label = title || name;
  return (
    <div>
      <Text size="sm" fw={500} mb={4}>
        {label}
        {cardinality === 'optional' && (
          <Text span size="xs" c="var(--faint)">
            {' '}
            <Trans>(need not be)</Trans>
          </Text>
        )}
      </Text>
      <Group gap="sm">
        <Button variant="default" size="xs" onClick={() => setPicking(true)}>
          <ChooseWords isFirst={ids.length === 0} isOne={isOne} label={label} />
        </Button>
        {first !== undefined && (
          <Text size="sm" truncate maw="100%">
            {ids.length === 1
              ? first
              : plural(ids.length - 1, {
                  one: `${first} and # more`,
                  other: `${first} and # more`,
                })}
          </Text>
        )}
      </Group>
      <FilePicker
        opened={isPicking}
        chosen={ids}
        isOne={isOne}
        onClose={() => setPicking(false)}
        onChoose={(chosen) => {
          onChange(chosen);
          setPicking(false);
        }}
      />
    </div>
  );
}

type ChooseProps = { isFirst: boolean; isOne: boolean; label: string };

/** Those who see the page see which input it is for. */
function ChooseWords({ isFirst, isOne, label }: ChooseProps) {
  if (!isFirst) {
    return (
      <Trans>
        Choose another<VisuallyHidden> for {label}</VisuallyHidden>
      </Trans>
    );
  }
  return isOne ? (
    <Trans>
      Choose a file<VisuallyHidden> for {label}</VisuallyHidden>
    </Trans>
  ) : (
    <Trans>
      Choose files<VisuallyHidden> for {label}</VisuallyHidden>
    </Trans>
  );
}
