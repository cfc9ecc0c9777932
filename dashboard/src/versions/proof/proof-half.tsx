/** How far one of the two runs of a proof is, or how it ended. */
import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { formatCount } from '../../ui/format.ts';
import { ProgressLine } from '../../ui/progress-line.tsx';
import { RunLink } from '../../ui/run-link.tsx';
import { Status } from '../../ui/status.tsx';
import classes from './proof.module.css';
import type { Half } from './prove.ts';

type Props = { half: Half; label: string; isUnderWay: boolean };

export function ProofHalf({ half, label, isUnderWay }: Props) {
  const { run_id, status, ended, waits } = half;
  if (ended || !isUnderWay) {
    return (
      <div className={classes.half}>
        <Text size="sm" component="span">
          {label}
        </Text>
        {ended ? (
          <Status status={ended.status} />
        ) : (
          <Text size="sm" c="var(--faint)" component="span">
            {run_id === undefined ? t`was not run` : t`was not followed to its end`}
          </Text>
        )}
        {run_id !== undefined && (
          <Text size="sm" component="span">
            <RunLink id={run_id} isApart />
          </Text>
        )}
      </div>
    );
  }
  return (
    <div className={classes.moving}>
      <ProgressLine
        percent={half.progress?.progress_percentage ?? 0}
        label={label}
        detail={detailOf(half)}
      />
      {waits !== undefined && status !== 'waiting' && (
        <Text size="xs" c="var(--faint)">
          {t`It waits: ${waits}`}
        </Text>
      )}
    </div>
  );
}

function detailOf({ status, progress }: Half): string {
  if (status === 'waiting') return t`follows, to take over what is the same`;
  if (!progress) return t`starts`;
  const [done, all] = [formatCount(progress.completed_nodes), formatCount(progress.total_nodes)];
  return t`${done} of ${all} steps`;
}
