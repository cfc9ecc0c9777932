/** Triggers: what starts workflows by itself. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SimpleGrid, Text } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { NewTriggerButton } from '../../triggers/new-trigger-button.tsx';
import { useTriggerNews, useTriggers } from '../../triggers/queries.ts';
import { TriggerTable } from '../../triggers/trigger-table.tsx';
import { allTypes, triggerTypes } from '../../triggers/types.tsx';
import { Await } from '../../ui/await.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Screen } from '../../ui/screen.tsx';
import classes from './triggers-screen.module.css';

export function TriggersScreen() {
  const triggers = useTriggers();
  useTriggerNews();
  return (
    <Screen
      title={t`Triggers`}
      description={t`What starts workflows by itself. Each runs in the name of whoever set it up.`}
      actions={<NewTriggerButton />}
    >
      <Await query={triggers}>
        {(rows) => (rows.length === 0 ? <NoTriggers /> : <TriggerTable rows={rows} />)}
      </Await>
    </Screen>
  );
}

const examples = {
  schedule: t`Every evening at 18:00, read the scans of the day.`,
  webhook: t`When an order comes in, make its invoice.`,
  folder: t`When a letter is put into “Inbox”, make text of it.`,
};

const NoTriggers = () => (
  <>
    <Empty icon={<IconBolt size={30} stroke={1.5} />} title={t`No triggers yet`}>
      <Trans>A trigger starts a workflow without you. There are three types of them.</Trans>
    </Empty>
    <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="md" component="ul" className={classes.types}>
      {allTypes.map((type) => {
        const { label, purpose, icon: Icon } = triggerTypes[type];
        return (
          <li key={type} className={classes.type}>
            <Icon size={22} stroke={1.6} aria-hidden />
            <Text fw={600} mt={8}>
              {label}
            </Text>
            <Text size="sm" c="var(--faint)">
              {purpose}
            </Text>
            <Text size="sm" mt={8}>
              {examples[type]}
            </Text>
          </li>
        );
      })}
    </SimpleGrid>
  </>
);
