/** The last lines that a failed program wrote. */
import { useEffect, useState } from 'react';
import { plainText } from '../../../log/ansi.ts';
import type { LogClient } from '../../../log/log-client.ts';
import classes from '../cell/cell.module.css';

const most = 6;

export function LastLines({ log }: { log: LogClient | undefined }) {
  const [lines, setLines] = useState<readonly string[]>([]);
  const count = log?.state.lines ?? 0;
  useEffect(() => {
    if (!log || count === 0) return;
    void log
      .lines(Math.max(0, count - most), count)
      .then((found) => setLines(found.map(({ text }) => plainText(text).slice(0, 500))));
  }, [log, count]);
  if (lines.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled by keyboard
    <pre className={classes.message} tabIndex={0}>
      {lines.join('\n')}
    </pre>
  );
}
