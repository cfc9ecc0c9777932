/** A list of triggers: what each starts, when, how it stands, and its switch. */
import type { Trigger } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import table from '../ui/table.module.css';
import { useWorkflowNames } from '../workflows.ts';
import { scheduleWords } from './cron-choice.ts';
import { FiresWhen, TriggerStatus } from './trigger-status.tsx';
import { TriggerSwitch } from './trigger-switch.tsx';
import { presetLabel, TypeLabel, triggerTypes } from './types.tsx';

export function TriggerTable({ rows }: { rows: readonly Trigger[] }) {
  const workflowName = useWorkflowNames();
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th>
            <Trans>Trigger</Trans>
          </th>
          <th className={table.wide}>
            <Trans>Type</Trans>
          </th>
          <th className={table.wide}>
            <Trans>Next or last time</Trans>
          </th>
          <th>
            <Trans>Status</Trans>
          </th>
          <th>
            <VisuallyHidden>
              <Trans>On or off</Trans>
            </VisuallyHidden>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((trigger) => (
          <tr key={trigger.id}>
            <td style={{ width: '50%' }}>
              <Link
                to="/triggers/$triggerId"
                params={{ triggerId: String(trigger.id) }}
                className={table.link}
              >
                {trigger.name}
              </Link>
              <Text size="xs" c="var(--faint)" lineClamp={2}>
                {summaryOf(trigger, workflowName(trigger.workflow_id))}
              </Text>
              {trigger.type === 'schedule' && trigger.enabled && (
                <Text size="xs" c="var(--faint)" className={table.narrow}>
                  <Trans>
                    Next: <FiresWhen trigger={trigger} />
                  </Trans>
                </Text>
              )}
            </td>
            <td className={`${table.quiet} ${table.wide}`}>
              <TypeLabel type={trigger.type} />
            </td>
            <td className={`${table.quiet} ${table.wide}`}>
              <FiresWhen trigger={trigger} />
            </td>
            <td>
              <TriggerStatus trigger={trigger} />
            </td>
            <td className={table.right}>
              <TriggerSwitch trigger={trigger} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function summaryOf(trigger: Trigger, workflow: string): string {
  const cause = causeOf(trigger);
  return t`${cause} · starts ${workflow}`;
}

function causeOf({ type, cron = '', timezone = 'UTC', preset }: Trigger): string {
  if (type === 'schedule') return `${scheduleWords(cron)}, ${timezone}`;
  if (type === 'webhook') return t`Messages as of ${presetLabel(preset)}`;
  return triggerTypes[type].purpose.replace(/\.$/, '');
}
