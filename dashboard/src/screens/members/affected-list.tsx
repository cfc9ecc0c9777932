/** What disabling or removing a person stops or leaves, line by line. */
import { Text } from '@mantine/core';
import classes from './members.module.css';

type Props = { title: string; lines: readonly string[]; none: string };

export const AffectedList = ({ title, lines, none }: Props) => (
  <section aria-label={title}>
    <Text size="sm" fw={600}>
      {title}
    </Text>
    {lines.length === 0 ? (
      <Text size="sm" c="var(--faint)" mb={12}>
        {none}
      </Text>
    ) : (
      <Text component="ul" size="sm" className={classes.list}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </Text>
    )}
  </section>
);
