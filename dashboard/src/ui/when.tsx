/** Times relative to now; the exact time is in a tooltip. */
import { formatComing, formatExactly, formatWhen } from './format.ts';

export function When({ at, now = new Date() }: { at: string; now?: Date }) {
  return (
    <time dateTime={at} title={formatExactly(at)}>
      {formatWhen(at, now)}
    </time>
  );
}

/** A time that is still to come. */
export function Coming({ at, now = new Date() }: { at: string; now?: Date }) {
  return (
    <time dateTime={at} title={formatExactly(at)}>
      {formatComing(at, now)}
    </time>
  );
}
