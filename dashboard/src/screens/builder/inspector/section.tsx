/** A part of the settings, with its heading. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './inspector.module.css';
import { useHintsAt } from './use-node.ts';

type SectionProps = {
  title: string;
  /** Marks it, so that a fault can lead to it. */
  pointer?: string | undefined;
  aside?: ReactNode;
  children: ReactNode;
};

export const Section = ({ title, pointer, aside, children }: SectionProps) => (
  <section className={classes.section} aria-label={title} data-pointer={pointer}>
    <div className={classes.sectionHead}>
      <h3 className={classes.sectionTitle}>{title}</h3>
      {aside}
    </div>
    {children}
  </section>
);

/** What a setting means, below it. */
export const Meaning = ({ children }: { children: ReactNode }) => (
  <Text size="xs" c="var(--faint)" className={classes.meaning}>
    {children}
  </Text>
);

/** What may be forgotten about it, but keeps nothing from running. */
export function Hints({ id }: { id: string }) {
  const hints = useHintsAt(id);
  return hints ? <Meaning>{hints}</Meaning> : null;
}

/** What is wrong with a setting; nothing if there is nothing. */
export const FaultWords = ({ children }: { children: ReactNode }) =>
  children ? (
    <Text size="xs" c="var(--mantine-color-error)" className={classes.meaning}>
      {children}
    </Text>
  ) : null;
