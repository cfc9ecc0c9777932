/** More memory, time or disk for a step that ran out of it, and a run of the rest, in one dialog. */
import type { NodeRun, WorkflowRun as Run } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useState } from 'react';
import { asGraph } from '../../../contract-graph.ts';
import { isBuiltIn } from '../../../definition-names.ts';
import { fullName, useAdmins, useNames } from '../../../people.ts';
import { Await, LoadingRows, Problem } from '../../../ui/await.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { focusWhenShown } from '../../../ui/focus-when-shown.ts';
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
} from './raised-limit.ts';
import { PlanChanged } from './raising.ts';
import { amountTried, type Known, planOf } from './raising-plan.ts';
import { RaisingSteps } from './raising-steps.tsx';
import { useKnown, useRaisedLimit } from './use-raised-limit.ts';

type Props = { step: NodeRun; run: Run; onClose: () => void };

export function RaiseLimitDialog({ step, run, onClose }: Props) {
  const query = useKnown(run, step.node_definition_id);
  const [isBusy, setBusy] = useState(false);
  return (
    <Dialog opened onClose={isBusy ? () => {} : onClose} title={moreLabels[limitReached(step)]}>
      <Await query={query} loading={<LoadingRows rows={3} />}>
        {(known) => {
          const { me, workflow, definition, ran } = known;
          const missing = missingRight(me, workflow, run);
          const count = nodesWith(asGraph(ran.graph), definition.id).length;
          return (
            <Stack gap="md">
              <Text size="sm">{explain(step, definition, undefined).what}</Text>
              {missing ? (
                <Refused
                  missing={missing}
                  who={missing === 'run' ? run.started_by : workflow.created_by}
                  onClose={onClose}
                />
              ) : count === 0 ? (
                <NotUsed onClose={onClose} />
              ) : (
                <RaiseForm {...{ step, run, known, count, onClose }} onBusy={setBusy} />
              )}
            </Stack>
          );
        }}
      </Await>
    </Dialog>
  );
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
      <CloseButton onClose={onClose} />
    </>
  );
}

const NotUsed = ({ onClose }: { onClose: () => void }) => (
  <>
    <Text size="sm">
      <Trans>The draft that has run does not use this version of the step any more.</Trans>
    </Text>
    <CloseButton onClose={onClose} />
  </>
);

const CloseButton = ({ onClose }: { onClose: () => void }) => (
  <Group justify="flex-end">
    <Button variant="default" onClick={onClose} data-autofocus ref={focusWhenShown}>
      <Trans>Close</Trans>
    </Button>
  </Group>
);

type FormProps = Props & {
  known: Known;
  /** How many nodes use the definition. */
  count: number;
  onBusy: (isBusy: boolean) => void;
};

function RaiseForm({ step, run, known, count, onBusy, onClose }: FormProps) {
  const { definition } = known;
  const name = limitReached(step);
  const had = limitOf(definition, name);
  const [text, setText] = useState(() =>
    String(amountTried(known, name) ?? proposedFor(had, name)),
  );
  const raising = useRaisedLimit(run, definition.id, name);
  // Another content may take the place of this form while the request is under way.
  useEffect(() => () => onBusy(false), [onBusy]);
  const { done, isPending, error } = raising;
  const amount = amountIn(text);
  const fault = faultOf(text, had, name);
  const plan = planOf(known, name, fault === undefined ? amount : undefined, done);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (amount === undefined || fault !== undefined || isPending) return;
    onBusy(true);
    raising.raise({ amount, shown: plan }, { onSettled: () => onBusy(false) });
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
          ref={focusWhenShown}
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
          plan={plan}
          isPending={isPending}
          isBuiltIn={isBuiltIn(definition)}
          isMapped={step.shard_index !== undefined}
          count={count}
        />
        {known.isChanged !== false && <Edited isKnown={known.isChanged === true} />}
        {error && <Problem error={error} {...titleOf(error, done.definition !== undefined)} />}
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

/** Its edits come along with the limit. */
const Edited = ({ isKnown }: { isKnown: boolean }) => (
  <Alert color="yellow" variant="light" p="sm">
    {isKnown ? (
      <Trans>
        The draft has been edited since this run. The new version has these edits too, not only the
        higher limit.
      </Trans>
    ) : (
      <Trans>
        The new version is made of the draft as it is now: what has been edited since this run is in
        it too.
      </Trans>
    )}
  </Alert>
);

function titleOf(error: Error, isBegun: boolean): { title?: string } {
  if (error instanceof PlanChanged) return { title: t`Something has changed meanwhile` };
  return isBegun ? { title: t`What is ticked off is done; the rest is not` } : {};
}
