/** More memory, time or disk for a step that ran out of it, and a run of the rest, in one dialog. */
import type {
  NodeDefinition,
  NodeRun,
  WorkflowRun as Run,
  WorkflowVersionSummary as Summary,
  WorkflowVersion as Version,
} from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { asGraph } from '../../../contract-graph.ts';
import { isBuiltIn } from '../../../definition-names.ts';
import { fullName, useAdmins, useMe, useNames } from '../../../people.ts';
import { Await, LoadingRows, Problem } from '../../../ui/await.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { useVersions, useWorkflow } from '../../../workflows.ts';
import { useDefinition } from '../cell/queries.ts';
import { explain } from './explain.ts';
import { amountWords, fieldLabels, largerUnit, moreLabels } from './limit-words.ts';
import {
  amountIn,
  faultOf,
  limitOf,
  limitReached,
  type Missing,
  missingRight,
  mostFor,
  nodesWith,
  proposedFor,
  publicationOf,
} from './raised-limit.ts';
import { RaisingSteps } from './raising-steps.tsx';
import { useRaisedLimit } from './use-raised-limit.ts';

type Props = { step: NodeRun; run: Run; version: Version; onClose: () => void };

export function RaiseLimitDialog({ step, run, version, onClose }: Props) {
  const known = useWhatIsKnown(step, run);
  const [isBusy, setBusy] = useState(false);
  return (
    <Dialog opened onClose={isBusy ? () => {} : onClose} title={moreLabels[limitReached(step)]}>
      <Await query={known} loading={<LoadingRows rows={3} />}>
        {({ definition, workflow, versions, me }) => {
          const missing = missingRight(me, workflow, run);
          return (
            <Stack gap="md">
              <Text size="sm">{explain(step, definition, undefined).what}</Text>
              {missing ? (
                <Refused
                  missing={missing}
                  who={missing === 'run' ? run.started_by : workflow.created_by}
                  onClose={onClose}
                />
              ) : (
                <RaiseForm
                  {...{ step, run, version, definition, versions, onClose }}
                  onBusy={setBusy}
                />
              )}
            </Stack>
          );
        }}
      </Await>
    </Dialog>
  );
}

function useWhatIsKnown(step: NodeRun, run: Run) {
  const definition = useDefinition(step.node_definition_id);
  const workflow = useWorkflow(run.workflow_id);
  const versions = useVersions(run.workflow_id);
  const me = useMe();
  const all = [definition, workflow, versions, me];
  const data =
    definition.data && workflow.data && versions.data && me.data
      ? {
          definition: definition.data,
          workflow: workflow.data,
          versions: versions.data,
          me: me.data,
        }
      : undefined;
  return {
    data,
    error: all.find(({ error }) => error !== null)?.error,
    isFetching: all.some(({ isFetching }) => isFetching),
    refetch: () => Promise.all(all.map(({ refetch }) => refetch())),
  };
}

type RefusedProps = { missing: Missing; who: number; onClose: () => void };

function Refused({ missing, who, onClose }: RefusedProps) {
  const name = useNames()(who);
  const admins = useAdmins().map(fullName).join(', ');
  return (
    <>
      <Text size="sm">
        {missing === 'workflow' ? (
          <Trans>
            That takes a new version of the workflow. {name}, who created it, can make one, and so
            can the administrators: {admins}.
          </Trans>
        ) : (
          <Trans>
            What worked can be taken over by {name}, who started this run, and by the
            administrators: {admins}.
          </Trans>
        )}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose} data-autofocus>
          <Trans>Close</Trans>
        </Button>
      </Group>
    </>
  );
}

type FormProps = Props & {
  definition: NodeDefinition;
  versions: readonly Summary[];
  onBusy: (isBusy: boolean) => void;
};

function RaiseForm({ step, run, version, definition, versions, onBusy, onClose }: FormProps) {
  const name = limitReached(step);
  const had = limitOf(definition, name);
  const [text, setText] = useState(() => String(proposedFor(had, name)));
  const raising = useRaisedLimit(run, definition, name);
  const { done, isPending, error } = raising;
  const amount = amountIn(text);
  const fault = faultOf(text, had, name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (amount === undefined || fault !== undefined || isPending) return;
    onBusy(true);
    raising.raise(amount, { onSettled: () => onBusy(false) });
  };
  const [has, most] = [amountWords(had, name), amountWords(mostFor(name), name)];
  const larger = amount === undefined ? undefined : largerUnit(amount, name);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={fieldLabels[name]}
          description={t`It has ${has} now. At most ${most} are possible.`}
          inputMode="numeric"
          autoComplete="off"
          data-autofocus
          maw={340}
          value={text}
          // A version with another limit would be one more.
          readOnly={isPending || done.definition !== undefined}
          onChange={(event) => setText(event.currentTarget.value)}
          error={fault}
          rightSection={
            fault === undefined && larger !== undefined ? (
              <Text size="xs" c="var(--faint)" style={{ whiteSpace: 'nowrap' }}>
                {larger}
              </Text>
            ) : undefined
          }
          rightSectionWidth={104}
        />
        <RaisingSteps
          done={done}
          isPending={isPending}
          isBuiltIn={isBuiltIn(definition)}
          isMapped={step.shard_index !== undefined}
          count={nodesWith(asGraph(version.graph), definition.id).length}
          publication={done.publication ?? publicationOf(version, versions, done.version)}
        />
        {error && (
          <Problem
            error={error}
            {...(done.definition && { title: t`What is ticked off is done; the rest is not` })}
          />
        )}
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onClose} disabled={isPending}>
            {done.definition ? t`Close` : t`Cancel`}
          </Button>
          <Button type="submit" loading={isPending} disabled={fault !== undefined}>
            {error ? t`Go on` : t`Raise it and run`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
