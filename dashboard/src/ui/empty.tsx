/** An empty state: what belongs here, and what to do next. */
import { Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './empty.module.css';

type Props = {
  icon: ReactNode;
  title: string;
  /** Heading level: 1 if it is the only content of the page. */
  order?: 1 | 2;
  children: ReactNode;
  action?: ReactNode;
};

export function Empty({ icon, title, order = 2, children, action }: Props) {
  return (
    <Stack align="center" gap={6} className={classes.empty}>
      <div className={classes.icon} aria-hidden>
        {icon}
      </div>
      <Title order={order} size="h4" mt="sm">
        {title}
      </Title>
      <Text c="var(--faint)" size="sm" ta="center" maw={420} style={{ textWrap: 'balance' }}>
        {children}
      </Text>
      {action && <div className={classes.action}>{action}</div>}
    </Stack>
  );
}
