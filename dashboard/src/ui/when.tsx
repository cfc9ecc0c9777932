/** A time, relative to now; the exact time is in a tooltip. */
import { formatExactly, formatWhen } from './format.ts';

export function When({ at, now = new Date() }: { at: string; now?: Date }) {
  return (
    <time dateTime={at} title={formatExactly(at)}>
      {formatWhen(at, now)}
    </time>
  );
}
