/** A part of a page of settings: what it is for beside or above what can be set. */
import { Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './profile.module.css';

type Props = { title: string; lead: ReactNode; children: ReactNode };

export function Section({ title, lead, children }: Props) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={classes.section}>
      <div>
        <Title order={2} id={id} className={classes.title}>
          {title}
        </Title>
        <div className={classes.lead}>{lead}</div>
      </div>
      <div className={classes.body}>{children}</div>
    </section>
  );
}
