/** Beside the canvas, which stays: the results of one step. */
import { t } from '@lingui/core/macro';
import { ActionIcon, Group, Title } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { Results, useShownStep } from './results.tsx';
import classes from './test.module.css';
import { useTester } from './testing.ts';

export function ResultPanel() {
  const tester = useTester();
  const step = useShownStep();
  if (!tester || !step?.shown) return null;
  const { key, title, shown } = step;
  return (
    <section key={key} className={classes.results} aria-label={t`Results of ${title}`}>
      <Group justify="space-between" wrap="nowrap" align="start">
        <Title order={2} fz="sm">
          {title}
        </Title>
        <ActionIcon aria-label={t`Close`} onClick={() => tester.store.set({ shown: undefined })}>
          <IconX size={17} />
        </ActionIcon>
      </Group>
      <Results nodeKey={key} shown={shown} />
    </section>
  );
}
