/**
 * A name in one line. If there is no room for it, it is cut before its last characters; the whole is
 * read aloud, and shown in a tooltip.
 */
import { VisuallyHidden } from '@mantine/core';
import { cutName } from './cut-name.ts';
import classes from './long-name.module.css';

export function LongName({ name, title = name }: { name: string; title?: string }) {
  const [start, end] = cutName(name);
  if (end === '') {
    return (
      <span className={classes.start} dir="auto" title={title}>
        {name}
      </span>
    );
  }
  return (
    <span className={classes.name} dir="auto" title={title}>
      {/* Two parts would be read as two words. */}
      <VisuallyHidden>{name}</VisuallyHidden>
      <span className={classes.start} aria-hidden>
        {start}
      </span>
      <span className={classes.end} aria-hidden>
        {end}
      </span>
    </span>
  );
}
