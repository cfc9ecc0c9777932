/** The tries of a node run: waiting, getting ready and running, as bars of one scale. */
import type { NodeRun } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { formatDuration, formatExactly } from '../../../ui/format.ts';
import { barsOf, phaseWords } from '../timeline/bars.ts';
import { PhaseBars } from '../timeline/phase-bars.tsx';
import classes from './cell.module.css';

export function Attempts({ step }: { step: NodeRun }) {
  const now = Date.now();
  const bars = barsOf(step, now);
  const first = bars[0];
  const last = bars.at(-1);
  if (!first || !last) return null;
  const scale = { from: first.from, to: Math.max(last.to, first.from + 1) };
  const tries = step.attempts ?? [];
  const phases = [...new Set(bars.map(({ phase }) => phase))].map((phase) => {
    const own = bars.filter((bar) => bar.phase === phase);
    const took = own.reduce((sum, { from, to }) => sum + to - from, 0);
    return { phase, words: `${phaseWords[phase]} ${formatDuration(took)}` };
  });
  return (
    <section className={classes.section} aria-label={t`Times`}>
      <PhaseBars bars={bars} scale={scale} />
      <Text size="xs" c="var(--faint)" mt={8} className={`figures ${classes.phases}`}>
        {phases.map(({ phase, words }) => (
          <span key={phase}>
            <i data-phase={phase} aria-hidden /> {words}
          </span>
        ))}
        {step.started_at && <span title={formatExactly(step.started_at)}>{timeOf(step)}</span>}
      </Text>
      {tries.length > 1 && (
        <ol className={classes.tries}>
          {tries.map((one) => (
            <li key={one.number}>
              <Trans>
                Try {one.number}: {wordsOfTry(one)}
              </Trans>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const timeOf = ({ started_at = '' }: NodeRun) => t`began ${formatExactly(started_at)}`;

function wordsOfTry({
  status,
  error_message,
  exit_code,
}: NonNullable<NodeRun['attempts']>[number]) {
  if (status === 'success') return t`done`;
  if (status === 'leased') return t`getting ready`;
  if (status === 'running') return t`running`;
  if (status === 'lost') return t`its worker was lost`;
  if (status === 'cancelled') return t`cancelled`;
  return error_message ?? (exit_code === undefined ? t`failed` : t`exit code ${exit_code}`);
}
