/** How much of a limit is used: always the numbers, and a bar where there is a limit. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import classes from './usage-bar.module.css';

type Props = {
  /** Absent in a table, whose column has one. */
  label?: string;
  used: number;
  limit: number | undefined;
  format: (value: number) => string;
};

export function UsageBar({ label, used, limit, format }: Props) {
  const isSmall = label === undefined;
  return (
    <div className={classes.usage} data-small={isSmall || undefined}>
      <div className={classes.words}>
        {!isSmall && <span className={classes.label}>{label}</span>}
        <span className={classes.numbers}>
          <b>{format(used)}</b>
          {limit !== undefined ? (
            <>
              {' '}
              <span>
                <Trans>of {format(limit)}</Trans>
              </span>
            </>
          ) : (
            !isSmall && t`, no limit`
          )}
        </span>
      </div>
      {limit !== undefined && (
        <div className={classes.track} aria-hidden>
          {used > 0 && (
            <div
              className={classes.bar}
              data-level={levelOf(used, limit)}
              style={{ width: `${shareOf(used, limit) * 100}%` }}
            />
          )}
        </div>
      )}
    </div>
  );
}

const shareOf = (used: number, limit: number): number =>
  limit <= 0 ? 1 : Math.min(1, Math.max(0, used / limit));

/** `high`: the limit comes into sight. `full`: nothing more is possible. */
function levelOf(used: number, limit: number): 'fine' | 'high' | 'full' {
  if (used >= limit) return 'full';
  return used >= limit * 0.8 ? 'high' : 'fine';
}
