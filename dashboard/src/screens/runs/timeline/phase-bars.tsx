/** Bars of phases on a scale. What they say is also told in words beside them. */
import { formatDuration } from '../../../ui/format.ts';
import { type Bar, phaseWords, placeOn, type Scale } from './bars.ts';
import classes from './timeline.module.css';

export function PhaseBars({ bars, scale }: { bars: readonly Bar[]; scale: Scale }) {
  return (
    <div className={classes.bars} aria-hidden>
      {bars.map((bar) => {
        const { left, width } = placeOn(scale, bar);
        return (
          <i
            key={`${bar.attempt} ${bar.phase}`}
            data-phase={bar.phase}
            title={`${phaseWords[bar.phase]} ${formatDuration(bar.to - bar.from)}`}
            style={{ left: `${left}%`, width: `max(2px, ${width}%)` }}
          />
        );
      })}
    </div>
  );
}
