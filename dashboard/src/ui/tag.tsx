/** A label in the shape of a status badge. */
import type { ReactNode } from 'react';
import classes from './status.module.css';

type Props = { tone?: 'good' | 'busy' | 'bad' | 'idle' | 'accent'; children: ReactNode };

export function Tag({ tone = 'idle', children }: Props) {
  return (
    <span className={classes.status} data-tone={tone} data-plain>
      {children}
    </span>
  );
}
