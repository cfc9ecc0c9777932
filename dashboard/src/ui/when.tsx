/** A moment, as long ago; the exact time in a tooltip. */
import { formatExactly, formatWhen } from './format.ts';

export function When({ at, now = new Date() }: { at: string; now?: Date }) {
  return (
    <time dateTime={at} title={formatExactly(at)}>
      {formatWhen(at, now)}
    </time>
  );
}
