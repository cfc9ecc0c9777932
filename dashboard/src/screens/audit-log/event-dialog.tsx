/** All that is recorded of one event. */
import type { AuditEvent } from '@cogworks/sdk/contract.gen';
import { Code, Text } from '@mantine/core';
import { useNames } from '../../people.ts';
import { CodeBlock } from '../../ui/code-block.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatExactly } from '../../ui/format.ts';
import classes from './audit-log.module.css';
import { sentenceOf } from './event-words.ts';

type Props = { event: AuditEvent; onClose: () => void };

export function EventDialog({ event, onClose }: Props) {
  const nameOf = useNames();
  const { id, action, actor_id, key_id, request_id, target_type, target_id, details } = event;
  const hasDetails = Object.keys(details).length > 0;
  return (
    <Dialog opened onClose={onClose} title={`Event ${id}`} size="lg">
      <Text mb="sm" style={{ overflowWrap: 'anywhere' }}>
        {sentenceOf(event, nameOf)}
      </Text>
      <Facts
        facts={[
          ['Time', formatExactly(event.created_at)],
          ['Action', <Code key="action">{action}</Code>],
          ['By', actor_id === undefined ? 'The system' : `${nameOf(actor_id)}, user ${actor_id}`],
          ['With', key_id === undefined ? undefined : `the API key ${key_id}`],
          ['Request', request_id && <Code key="request">{request_id}</Code>],
          ['Target', [target_type, target_id].filter(Boolean).join(' ')],
        ]}
      />
      {hasDetails && (
        <div className={classes.record}>
          <CodeBlock label="Details" isWrapped>
            {JSON.stringify(details, null, 2)}
          </CodeBlock>
        </div>
      )}
    </Dialog>
  );
}
