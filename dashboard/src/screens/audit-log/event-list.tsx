/** Events by day, newest first, each as a sentence. */
import type { AuditEvent } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { useMe, useNames } from '../../people.ts';
import { formatDay, formatExactly, formatTime } from '../../ui/format.ts';
import classes from './audit-log.module.css';
import { sentenceOf } from './event-words.ts';

type Props = { rows: readonly AuditEvent[]; onShow: (event: AuditEvent) => void };

export function EventList({ rows, onShow }: Props) {
  const people = { nameOf: useNames(), me: useMe().data?.id };
  const now = new Date();
  const days = Map.groupBy(rows, ({ created_at }) => formatDay(created_at, now));
  return [...days].map(([day, events]) => (
    <section key={day} aria-label={day}>
      <h2 className={classes.day}>{day}</h2>
      <ul className={classes.events}>
        {events.map((event) => (
          <li key={event.id} className={classes.event}>
            <time dateTime={event.created_at} title={formatExactly(event.created_at)}>
              {formatTime(event.created_at)}
            </time>
            <span className={classes.sentence}>{sentenceOf(event, people)}</span>
            <button
              type="button"
              className={classes.details}
              aria-label={t`Details of event ${event.id}`}
              onClick={() => onShow(event)}
            >
              <Trans>Details</Trans>
            </button>
          </li>
        ))}
      </ul>
    </section>
  ));
}
