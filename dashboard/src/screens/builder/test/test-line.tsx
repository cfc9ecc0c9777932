/** In the list: what the last test showed of a step, in the words of its card. */
import classes from './test.module.css';
import { type Shown, useOutcome, useTested } from './testing.ts';

export function TestLine({ nodeKey }: { nodeKey: string }) {
  const shown = useTested(nodeKey);
  return shown ? <Line shown={shown} /> : null;
}

function Line({ shown }: { shown: Shown }) {
  const { status, words, detail, isStale } = useOutcome(shown);
  return (
    <span className={`${classes.toned} ${classes.line}`} data-status={status} data-stale={isStale}>
      <span className={classes.dot} aria-hidden />
      <span className={classes.lineWords}>
        <strong>{words}</strong> {detail}
      </span>
    </span>
  );
}
