/** One trigger: its settings, its next times, what became of each start, and a webhook's messages. */
import type { Trigger } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Tabs, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { api } from '../../api.ts';
import { useMe } from '../../people.ts';
import { NextTimes } from '../../triggers/next-times.tsx';
import { useTrigger, useTriggerNews } from '../../triggers/queries.ts';
import { mayLookInto } from '../../triggers/rights.ts';
import { TriggerStatus } from '../../triggers/trigger-status.tsx';
import { TypeLabel } from '../../triggers/types.tsx';
import { Await, LoadingRows } from '../../ui/await.tsx';
import { Screen } from '../../ui/screen.tsx';
import { useWorkflowNames } from '../../workflows.ts';
import { Deliveries } from './deliveries.tsx';
import { Firings } from './firings.tsx';
import { TriggerActions } from './trigger-actions.tsx';
import { TriggerFacts } from './trigger-facts.tsx';
import classes from './triggers-screen.module.css';

export function TriggerScreen() {
  const { triggerId } = useParams({ strict: false });
  return <TriggerOf key={triggerId} id={Number(triggerId)} />;
}

function TriggerOf({ id }: { id: number }) {
  const trigger = useTrigger(id);
  const { data: me } = useMe();
  const workflowName = useWorkflowNames();
  useTriggerNews();
  return (
    <Screen
      title={trigger.data?.name ?? t`Trigger`}
      lead={
        <Anchor component={Link} to="/triggers" size="sm" c="var(--faint)">
          <Trans>Triggers</Trans>
        </Anchor>
      }
      aside={trigger.data && <TriggerStatus trigger={trigger.data} />}
      description={
        trigger.data && (
          <span className="figures">
            <Trans>
              <TypeLabel type={trigger.data.type} /> · starts{' '}
              <Link
                to="/workflows/$workflowId"
                params={{ workflowId: String(trigger.data.workflow_id) }}
              >
                {workflowName(trigger.data.workflow_id)}
              </Link>
            </Trans>
          </span>
        )
      }
      actions={trigger.data && <TriggerActions trigger={trigger.data} />}
    >
      <Await query={trigger}>
        {(one) => (
          <>
            <div className={classes.columns}>
              <TriggerFacts trigger={one} />
              {one.type === 'schedule' && <Coming trigger={one} />}
            </div>
            <Past trigger={one} hasDeliveries={one.type === 'webhook' && mayLookInto(one, me)} />
          </>
        )}
      </Await>
    </Screen>
  );
}

function Coming({ trigger }: { trigger: Trigger }) {
  const { id, enabled, updated_at, timezone = 'UTC' } = trigger;
  const times = useQuery({
    queryKey: ['next-times', id, updated_at],
    queryFn: () => api.previewTrigger({ path: { id }, query: { count: 5 } }),
    enabled,
  });
  return (
    <section aria-label={t`Next times`}>
      <Title order={2} className={classes.section} mt={0}>
        <Trans>Next times</Trans>
      </Title>
      {enabled ? (
        <Await query={times} loading={<LoadingRows rows={3} />}>
          {(ticks) => <NextTimes ticks={ticks} timezone={timezone} />}
        </Await>
      ) : (
        t`It is off.`
      )}
    </section>
  );
}

/** What became of it, in tabs if there are messages too. */
function Past({ trigger, hasDeliveries }: { trigger: Trigger; hasDeliveries: boolean }) {
  if (!hasDeliveries) {
    return (
      <>
        <Title order={2} className={classes.section}>
          <Trans>History</Trans>
        </Title>
        <Firings id={trigger.id} />
      </>
    );
  }
  return (
    <Tabs defaultValue="history" mt="xl" keepMounted={false}>
      <Tabs.List>
        <Tabs.Tab value="history">
          <Trans>History</Trans>
        </Tabs.Tab>
        <Tabs.Tab value="deliveries">
          <Trans>Deliveries</Trans>
        </Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="history" pt="md">
        <Firings id={trigger.id} />
      </Tabs.Panel>
      <Tabs.Panel value="deliveries" pt="md">
        <Deliveries trigger={trigger} />
      </Tabs.Panel>
    </Tabs>
  );
}
