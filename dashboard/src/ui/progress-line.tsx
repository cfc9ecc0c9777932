/** A progress bar. It moves smoothly, and never backwards. */
import classes from './progress-line.module.css';

type Props = { percent: number; label: string; detail: string };

export function ProgressLine({ percent, label, detail }: Props) {
  const whole = Math.floor(percent);
  return (
    <div className={classes.progress}>
      <div className={classes.words}>
        <span className={classes.label}>{label}</span>
        <span className={classes.detail}>
          {detail} · <b>{whole} %</b>
        </span>
      </div>
      <div
        className={classes.track}
        role="progressbar"
        aria-label={label}
        aria-valuenow={whole}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <div className={classes.bar} style={{ width: `${percent}%` }} />
      </div>
    </div>
  );
}
