/** All that is recorded of one event. */
import type { AuditEvent } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Code, Text } from '@mantine/core';
import { useMe, useNames } from '../../people.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatExactly } from '../../ui/format.ts';
import classes from './audit-log.module.css';
import { sentenceOf } from './event-words.ts';

type Props = { event: AuditEvent; onClose: () => void };

export function EventDialog({ event, onClose }: Props) {
  const nameOf = useNames();
  const me = useMe().data?.id;
  const { id, action, actor_id, key_id, request_id, target_type, target_id, details } = event;
  const hasDetails = Object.keys(details).length > 0;
  return (
    <Dialog opened onClose={onClose} title={t`Event ${id}`} size="lg">
      <Text mb="sm" style={{ overflowWrap: 'anywhere' }}>
        {sentenceOf(event, { nameOf, me })}
      </Text>
      <Facts
        facts={[
          [t({ message: 'Time', context: 'moment' }), formatExactly(event.created_at)],
          [t`Action`, <Code key="action">{action}</Code>],
          [
            t({ message: 'By', context: 'who did it' }),
            actor_id === undefined
              ? t`The system`
              : t`${{ name: nameOf(actor_id) }}, user ${actor_id}`,
          ],
          [
            t({ message: 'With', context: 'which key' }),
            key_id === undefined ? undefined : t`the API key ${key_id}`,
          ],
          [t`Request`, request_id && <Code key="request">{request_id}</Code>],
          [t`Target`, [target_type, target_id].filter(Boolean).join(' ')],
        ]}
      />
      {hasDetails && (
        <div className={classes.record}>
          <CodeBlock label={t`Details`} isWrapped>
            {JSON.stringify(details, null, 2)}
          </CodeBlock>
        </div>
      )}
    </Dialog>
  );
}
