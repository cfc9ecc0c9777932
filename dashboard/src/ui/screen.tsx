/** The frame of every screen: its title, its actions, and its content. */
import { Box, Group, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import classes from './screen.module.css';

type Props = {
  title: string;
  /** Of the browser's tab, if it tells more than the title. */
  tabTitle?: string | undefined;
  /** The title as it is drawn, for example as a link. */
  heading?: ReactNode;
  /** Stands above or instead of the title, for example the way to a folder. */
  lead?: ReactNode;
  /** Beside the title, for example a status. */
  aside?: ReactNode;
  description?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
};

export function Screen({
  title,
  tabTitle = title,
  heading = title,
  lead,
  aside,
  description,
  actions,
  children,
}: Props) {
  useEffect(() => {
    document.title = `${tabTitle} · Cogworks`;
  }, [tabTitle]);
  return (
    <Box component="main" className={classes.screen}>
      <header className={classes.header}>
        <div className={classes.heading}>
          {lead}
          <Group gap="sm" wrap="nowrap">
            <Title order={1} className={classes.title} tabIndex={-1}>
              {heading}
            </Title>
            {aside}
          </Group>
          {description && (
            <Text component="div" c="var(--faint)" size="sm" mt={6}>
              {description}
            </Text>
          )}
        </div>
        {actions && <div className={classes.actions}>{actions}</div>}
      </header>
      {children}
    </Box>
  );
}
