/** A new run: which workflow and version, on which files, with which variables. */
import type { Variable, WorkflowVersionSummary as Version } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Select, Text } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api } from '../../api.ts';
import { useSubscription } from '../../organization.ts';
import { useRunFiles, useRunVariables, withRunFiles } from '../../run-files.ts';
import { ChosenFiles, useChosenCogs } from '../../run-inputs/chosen-files.tsx';
import { creditsFault, creditsIn } from '../../run-inputs/credits.ts';
import { CreditsField } from '../../run-inputs/credits-field.tsx';
import {
  defaultsOf,
  type FieldValues,
  faultsByVariable,
  valuesOf,
} from '../../run-inputs/variables.ts';
import { VariablesForm } from '../../run-inputs/variables-form.tsx';
import { Suggestions } from '../../starting/suggestions.tsx';
import { Await, LoadingRows, Problem } from '../../ui/await.tsx';
import { formatValue } from '../../ui/charts/values.ts';
import { Screen } from '../../ui/screen.tsx';
import { useVersions, useWorkflows } from '../../workflows.ts';
import { MissingSecret } from './missing-secret.tsx';
import classes from './new-run.module.css';
import { useStartRun } from './start-run.ts';

export function NewRunScreen() {
  const { workflow, version } = useSearch({ strict: false });
  const navigate = useNavigate();
  const ids = useRunFiles();
  const change = (changes: { workflow?: number; version?: number | undefined }, files = ids) => {
    const { search, state } = withRunFiles(files);
    // What was asked for of another version may not be there in this one.
    const isOther = 'version' in changes;
    const forgotten = isOther && { variables: undefined, until: undefined };
    void navigate({
      to: '.',
      search: (old) => ({ ...old, ...search, ...forgotten, ...changes }),
      state: isOther ? state : (old) => ({ ...old, ...state }),
      replace: true,
    });
  };

  return (
    <Screen
      title={t`New run`}
      lead={
        <Anchor component={Link} to="/runs" size="sm" c="var(--faint)">
          <Trans>Runs</Trans>
        </Anchor>
      }
    >
      <div className={classes.steps}>
        <Step number={1} title={t`Workflow`}>
          <WorkflowChoice
            workflowId={workflow}
            onChange={(id) => change({ workflow: id, version: undefined })}
          />
          {workflow === undefined && ids.length > 0 && <Suggested ids={ids} />}
          {workflow !== undefined && (
            <VersionChoice
              workflowId={workflow}
              versionId={version}
              onChange={(id) => change({ version: id })}
            />
          )}
        </Step>
        <Step number={2} title={t`Files`}>
          <ChosenFiles ids={ids} onChange={(next) => change({}, next)} />
        </Step>
        {workflow !== undefined && (
          <StartStep key={workflow} workflowId={workflow} versionId={version} ids={ids} />
        )}
      </div>
    </Screen>
  );
}

/** Of many files only the first are looked at; what they do not tell is chosen above. */
function Suggested({ ids }: { ids: readonly number[] }) {
  const cogs = useChosenCogs(ids);
  const files = cogs.flatMap(({ data }) => (data?.cog_type === 'file' ? [data] : []));
  if (files.length === 0 || files.length < ids.length) return null;
  return (
    <>
      <Text size="sm" c="var(--faint)" mt="lg" mb={4}>
        <Trans>Or one that takes such files:</Trans>
      </Text>
      <Suggestions files={files} />
    </>
  );
}

type StepProps = { number: number; title: string; children: ReactNode };

function Step({ number, title, children }: StepProps) {
  return (
    <section className={classes.step} aria-labelledby={`step-${number}`}>
      <h2 id={`step-${number}`} className={classes.title}>
        <span className={classes.number} aria-hidden>
          {number}
        </span>
        {title}
      </h2>
      <div className={classes.body}>{children}</div>
    </section>
  );
}

type WorkflowProps = { workflowId: number | undefined; onChange: (id: number) => void };

function WorkflowChoice({ workflowId, onChange }: WorkflowProps) {
  return (
    <Await query={useWorkflows()} loading={<LoadingRows rows={1} />}>
      {(rows) => (
        <Select
          label={t`Workflow`}
          placeholder={t`Choose a workflow`}
          searchable
          maw={440}
          data={rows
            .filter((one) => one.latest_version_id !== undefined)
            .map((one) => ({ value: String(one.id), label: one.name }))}
          value={workflowId === undefined ? null : String(workflowId)}
          onChange={(value) => value && onChange(Number(value))}
          nothingFoundMessage={t`No such workflow`}
          allowDeselect={false}
        />
      )}
    </Await>
  );
}

/** The default version: the published one, else the newest draft. */
export function chosenVersion(versions: readonly Version[], id: number | undefined) {
  const newestFirst = versions.toSorted((a, b) => b.version_number - a.version_number);
  return (
    versions.find((one) => one.id === id) ??
    newestFirst.find((one) => one.state === 'published') ??
    newestFirst.find((one) => one.state === 'draft')
  );
}

type VersionProps = {
  workflowId: number;
  versionId: number | undefined;
  onChange: (id: number) => void;
};

function VersionChoice({ workflowId, versionId, onChange }: VersionProps) {
  const versions = useVersions(workflowId);
  return (
    <Await query={versions} loading={<LoadingRows rows={1} />}>
      {(rows) => {
        const chosen = chosenVersion(rows, versionId);
        const newest = Math.max(...rows.map((one) => one.version_number));
        return (
          <>
            <Select
              label={t`Version`}
              maw={440}
              mt="md"
              data={rows
                .filter((one) => one.state !== 'archived')
                .toSorted((a, b) => b.version_number - a.version_number)
                .map((one) => ({
                  value: String(one.id),
                  label: choiceOf(one, one.version_number === newest),
                }))}
              value={chosen ? String(chosen.id) : null}
              onChange={(value) => value && onChange(Number(value))}
              allowDeselect={false}
            />
            {chosen?.state === 'draft' && (
              <Text size="xs" c="var(--faint)" mt={6}>
                <Trans>A draft may change; this will be marked as a test run.</Trans>
              </Text>
            )}
          </>
        );
      }}
    </Await>
  );
}

const stateWords: Record<Version['state'], string> = {
  draft: t`draft`,
  published: t`published`,
  archived: t`archived`,
};

function choiceOf({ version_number, state }: Version, isLatest: boolean): string {
  const words = [t`Version ${version_number}`, stateWords[state]];
  return [...words, ...(isLatest ? [t`latest`] : [])].join(' · ');
}

type StartProps = { workflowId: number; versionId: number | undefined; ids: readonly number[] };

function StartStep({ workflowId, versionId, ids }: StartProps) {
  const versions = useVersions(workflowId);
  const version = versions.data && chosenVersion(versions.data, versionId);
  const variables = useQuery({
    queryKey: ['variables', version?.id],
    queryFn: () => api.listVersionVariables({ path: { version_id: version?.id ?? 0 } }),
    enabled: version !== undefined,
  });
  if (!version) return null;
  return (
    <Await query={variables} loading={<LoadingRows rows={2} />}>
      {(rows) => <StartForm key={version.id} version={version} variables={rows} ids={ids} />}
    </Await>
  );
}

type FormProps = { version: Version; variables: readonly Variable[]; ids: readonly number[] };

function StartForm({ version, variables, ids }: FormProps) {
  const given = useRunVariables();
  const { until } = useSearch({ strict: false });
  const [values, setValues] = useState<FieldValues>(() => defaultsOf(variables, given));
  const [credits, setCredits] = useState('');
  const { data: account } = useSubscription();
  const start = useStartRun();
  const { byName, others } = faultsByVariable(start.fields, variables);
  const needsFiles = version.input_count > 0;
  const limit = creditsIn(credits);
  return (
    <>
      <Step number={3} title={t`Variables`}>
        <VariablesForm
          variables={variables}
          values={values}
          faults={byName}
          onChange={(name, value) => setValues((old) => ({ ...old, [name]: value }))}
        />
      </Step>
      {account?.credits_remaining !== undefined && (
        <Step number={4} title={t`Credits`}>
          <CreditsField
            value={credits}
            onChange={setCredits}
            placeholder={t`No limit of its own; ${formatValue(account.credits_remaining, 'credits')} remain`}
          />
        </Step>
      )}
      <div className={classes.end}>
        {until !== undefined && (
          <Text size="sm" c="var(--faint)" mb="sm">
            <Trans>
              It ends with the step <code>{until}</code>, as the run did that is made again.
            </Trans>
          </Text>
        )}
        {start.error != null && (start.fields.length === 0 || others.length > 0) && (
          <Problem
            title={t`The run did not start`}
            error={others.length > 0 ? new Error(others.join(' ')) : start.error}
          />
        )}
        <Group>
          <Button
            size="md"
            leftSection={<IconPlayerPlay size={18} />}
            loading={start.isPending}
            disabled={(needsFiles && ids.length === 0) || creditsFault(credits) !== undefined}
            onClick={() =>
              start.run(version.id, {
                cog_ids: [...ids],
                extra_variables: valuesOf(variables, values),
                ...(until === undefined ? {} : { until, keep_results: true }),
                ...(limit === undefined ? {} : { max_credits: limit }),
              })
            }
          >
            <Trans>Start run</Trans>
          </Button>
          <MissingSecret error={start.error} />
          {needsFiles && ids.length === 0 && (
            <Text size="sm" c="var(--faint)">
              <Trans>Choose at least one file first.</Trans>
            </Text>
          )}
        </Group>
      </div>
    </>
  );
}
