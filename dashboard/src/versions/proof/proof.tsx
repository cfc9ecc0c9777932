/**
 * Offers to compare, before a draft is published, what it makes of samples with what the published
 * version makes of them. It is an offer: publishing does not wait for it.
 */
import type { WorkflowVersion } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { IconFlask, IconPlayerStop } from '@tabler/icons-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useChosenCogs } from '../../run-inputs/chosen-files.tsx';
import {
  isComplete,
  isGone,
  keepSample,
  keptSample,
  type Sample,
} from '../../run-inputs/sample.ts';
import { SampleDialog } from '../../run-inputs/sample-dialog.tsx';
import { Problem } from '../../ui/await.tsx';
import classes from './proof.module.css';
import { ProofHalf } from './proof-half.tsx';
import { ProofRows } from './proof-rows.tsx';
import type { ProofState } from './prove.ts';
import { goneWords, SampleLine } from './sample-line.tsx';
import { useProof } from './use-proof.ts';
import { askedOf } from './values.ts';

/** What the editor tests with, and how it is told of another. */
export type KeptSample = { sample: Sample; keep: (sample: Sample) => void };

type Props = {
  userId: number;
  before: WorkflowVersion;
  now: WorkflowVersion;
  /** Without it, the files that this browser keeps for the user. */
  kept?: KeptSample | undefined;
};

export function Proof({ userId, before, now, kept }: Props) {
  const { state, outcome, isUnderWay, start, stop } = useProof(before, now);
  const version = before.version_number;
  const [sample, setSample] = useState(() => kept?.sample ?? keptSample(userId, now.workflow_id));
  const [isChoosing, setChoosing] = useState(false);
  const title = useRef<HTMLHeadingElement>(null);
  const id = useId();
  const needsFiles = before.input_count > 0 || now.input_count > 0;
  const variables = askedOf(before, now);
  const cogs = useChosenCogs(sample.cog_ids);
  const isFull = isComplete(sample, { needsFiles, variables });
  const hasChoice = needsFiles || variables.length > 0;
  const areGone = cogs.some(({ error }) => isGone(error));
  // The button that was pressed, or has the focus, is replaced.
  const holdFocus = () => title.current?.focus();
  useEffect(() => {
    if (!isUnderWay && document.activeElement === document.body) title.current?.focus();
  }, [isUnderWay]);
  const compare = (over: Sample) => {
    start(over);
    holdFocus();
  };
  const use = (chosen: Sample) => {
    setChoosing(false);
    setSample(chosen);
    if (kept) kept.keep(chosen);
    else keepSample(userId, now.workflow_id, chosen);
    compare(chosen);
  };
  return (
    <section className={classes.proof} aria-labelledby={id}>
      <h3 id={id} ref={title} tabIndex={-1} className={classes.title}>
        <Trans>Compare the results first</Trans>
      </h3>
      {!state && (
        <Text size="sm" c="var(--faint)">
          <Trans>
            Runs the same files through version {version} and this draft. Steps that do the same in
            both run once.
          </Trans>
        </Text>
      )}
      {needsFiles && !state && <SampleLine ids={sample.cog_ids} cogs={cogs} />}
      {state && <Halves {...{ state, version, isUnderWay }} />}
      <div role="status" className={classes.told}>
        {state && <Told {...{ state, outcome, version, isUnderWay }} />}
      </div>
      {state && <Outcome {...{ state, outcome, version, areGone }} />}
      <Group gap="sm">
        {isUnderWay ? (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconPlayerStop size={15} aria-hidden />}
            onClick={() => {
              stop();
              holdFocus();
            }}
          >
            <Trans>Stop comparing</Trans>
          </Button>
        ) : (
          <Buttons
            isReady={isFull && !areGone}
            choose={wordsToChoose(needsFiles && sample.cog_ids.length === 0, isFull || areGone)}
            isAgain={state !== undefined}
            onCompare={() => compare(sample)}
            onChoose={hasChoice ? () => setChoosing(true) : undefined}
          />
        )}
      </Group>
      {isChoosing && (
        <SampleDialog
          title={t`What to compare on`}
          sample={sample}
          needsFiles={needsFiles}
          variables={variables}
          onUse={use}
          onClose={() => setChoosing(false)}
        >
          <Trans>
            A few small files that show what matters to you are enough. A variable that keeps its
            default has the default of each version.
          </Trans>
        </SampleDialog>
      )}
    </section>
  );
}

function wordsToChoose(hasNone: boolean, areOthers: boolean): string {
  if (hasNone) return t`Choose samples…`;
  return areOthers ? t`Other samples…` : t`Set the variables…`;
}

type ButtonsProps = {
  isReady: boolean;
  choose: string;
  isAgain: boolean;
  onCompare: () => void;
  /** Undefined where nothing can be chosen. */
  onChoose: (() => void) | undefined;
};

function Buttons({ isReady, choose, isAgain, onCompare, onChoose }: ButtonsProps) {
  return (
    <>
      {isReady && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconFlask size={15} aria-hidden />}
          onClick={onCompare}
        >
          {isAgain ? t`Compare again` : t`Compare the results`}
        </Button>
      )}
      {onChoose && (
        <Button size="compact-sm" variant={isReady ? 'subtle' : 'default'} onClick={onChoose}>
          {choose}
        </Button>
      )}
    </>
  );
}

type StateProps = { state: ProofState; version: number; isUnderWay: boolean };

function Halves({ state: { before, now }, version, isUnderWay }: StateProps) {
  // Neither has started.
  if (!isUnderWay && before.run_id === undefined) return null;
  return (
    <div className={classes.halves}>
      <ProofHalf half={before} label={t`Version ${version}`} isUnderWay={isUnderWay} />
      <ProofHalf half={now} label={t`This draft`} isUnderWay={isUnderWay} />
    </div>
  );
}

type Ended = { outcome: ReturnType<typeof useProof>['outcome'] };

/** Spoken, too: how far it is, and in the end what came out. */
function Told({ state: { before }, outcome, version, isUnderWay }: StateProps & Ended) {
  if (isUnderWay) {
    return (
      <VisuallyHidden>
        {before.ended ? t`Running this draft …` : t`Running version ${version} …`}
      </VisuallyHidden>
    );
  }
  if (!outcome) return null;
  const [first, ...others] = outcome.words;
  return (
    <Text size="sm" component="div">
      <b>{first}</b> {others.join(' ')}
    </Text>
  );
}

type OutcomeProps = Omit<StateProps, 'isUnderWay'> & Ended & { areGone: boolean };

function Outcome({ state: { before, now }, outcome, version, areGone }: OutcomeProps) {
  const error = before.error ?? now.error;
  if (error !== undefined) {
    const title = before.error
      ? t`Version ${version} could not be run`
      : t`This draft could not be run`;
    // A version that is gone is refused in the same way as a sample.
    const isOfSample = areGone && isGone(error);
    return <Problem error={isOfSample ? new Error(goneWords) : error} title={title} />;
  }
  if (!outcome?.comparison) return null;
  const { comparison } = outcome;
  return <ProofRows comparison={comparison} before={before} now={now} version={version} />;
}
