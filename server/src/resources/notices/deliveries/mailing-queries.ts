/** SQL of notices by mail: what a mail tells, and how many a user was sent. */
import type { Db } from '../../../db/connection.ts';
import type { ClaimedDelivery } from './sending-queries.ts';

/** Whom it goes to, and of its run what no other message tells. */
export type Facts = {
  tenant_id: number;
  user_id: number;
  email: string;
  notice_name?: string;
  /** Of the run, unless it is a test. */
  workflow_name?: string;
  started_by_name?: string;
  trigger_name?: string;
  node_counts?: number[];
  started_at?: string;
  finished_at?: string;
};

/** @returns undefined if who made the notice is disabled by now. */
export async function findFacts(
  db: Db,
  { tenant_id, notice_id, run_id }: Pick<ClaimedDelivery, 'tenant_id' | 'notice_id' | 'run_id'>,
): Promise<Facts | undefined> {
  const [row] = await db<Facts[]>`
    select maker.tenant_id, maker.id as user_id, maker.email, notice.name as notice_name,
           workflow.name as workflow_name, trigger.name as trigger_name, run.node_counts,
           run.started_at, run.finished_at,
           coalesce(
             nullif(trim(starter.first_name || ' ' || starter.last_name), ''), starter.email
           ) as started_by_name
    from notices as notice
    join users as maker on maker.tenant_id = notice.tenant_id and maker.id = notice.created_by
    left join workflow_runs as run
      on run.tenant_id = notice.tenant_id and run.id = ${run_id ?? null}::bigint
    left join workflows as workflow
      on workflow.tenant_id = run.tenant_id and workflow.id = run.workflow_id
    left join users as starter on starter.tenant_id = run.tenant_id and starter.id = run.started_by
    left join triggers as trigger
      on trigger.tenant_id = run.tenant_id and trigger.id = run.trigger_id
    where notice.tenant_id = ${tenant_id} and notice.id = ${notice_id}
      and notice.by_mail and maker.status = 'active'
  `;
  return row;
}

/**
 * Counts a mail to a user, within an hour that begins with the first one.
 *
 * @returns the number of the mail, and when the hour ends; undefined if it is one too many.
 */
export async function takeMail(
  db: Db,
  { tenant_id, user_id }: Facts,
  most: number,
): Promise<{ count: number; ends_at: string } | undefined> {
  const isOver = db`mails.since <= statement_timestamp() - interval '1 hour'`;
  const [row] = await db<{ count: number; ends_at: string }[]>`
    insert into notice_mails as mails (tenant_id, user_id, since, count)
    values (${tenant_id}, ${user_id}, statement_timestamp(), 1)
    on conflict (tenant_id, user_id) do update
    set since = case when ${isOver} then statement_timestamp() else mails.since end,
        count = case when ${isOver} then 1 else mails.count + 1 end
    where ${isOver} or mails.count < ${most}::int
    returning count, since + interval '1 hour' as ends_at
  `;
  return row;
}

/** For a mail that was not sent. */
export const giveMailBack = (db: Db, { tenant_id, user_id }: Facts) => db`
  update notice_mails set count = count - 1
  where tenant_id = ${tenant_id} and user_id = ${user_id} and count > 0
`;
