/** A part of the details with its title. */
import { Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './details.module.css';

type Props = { title: string; aside?: ReactNode; children: ReactNode };

export const Section = ({ title, aside, children }: Props) => (
  <section className={classes.section}>
    <Group justify="space-between" mb={4}>
      <Text component="h3" size="sm" fw={600} m={0}>
        {title}
      </Text>
      {aside}
    </Group>
    {children}
  </section>
);
