/** SQL of sending: what is due, who sends it, and what came of it. */
import type { Db } from '../../../db/connection.ts';
import type { Part, Tag } from '../../../db/statement.ts';
import type { NoticeDelivery } from '../schema.ts';

/**
 * The notices that have a message waiting, found by leaps from one to the next in the index, so that
 * a long queue of one that is off costs nothing.
 */
const leaps = (db: Tag, wanted: Part) => db`
  recursive leaps as (
    (
      select notice_id from notice_deliveries where state = 'waiting' order by notice_id limit 1
    )
    union all
    select (
      select delivery.notice_id
      from notice_deliveries as delivery
      where delivery.state = 'waiting' and delivery.notice_id > leaps.notice_id
      order by delivery.notice_id
      limit 1
    )
    from leaps
    where leaps.notice_id is not null
  ),
  ready as (
    select notice.id, notice.tenant_id
    from leaps
    join notices as notice on notice.id = leaps.notice_id
    join users as creator
      on creator.tenant_id = notice.tenant_id and creator.id = notice.created_by
    where notice.enabled and creator.status = 'active' and ${wanted}
      and (notice.quiet_until is null or notice.quiet_until <= statement_timestamp())
  )
`;

const isDue = (db: Tag) => db`
  delivery.notice_id = ready.id and delivery.state = 'waiting'
  and delivery.next_attempt_at <= statement_timestamp()
  and (delivery.leased_until is null or delivery.leased_until <= statement_timestamp())
`;

/**
 * For how long the message has been due that waits longest; undefined if none is.
 *
 * @param withMail whether mails can be sent.
 */
export async function findOldestDue(db: Tag, withMail: boolean): Promise<number | undefined> {
  const [row] = await db<{ late_s?: number }[]>`
    with ${leaps(db, db`(${withMail} or not notice.by_mail)`)}
    select extract(epoch from statement_timestamp() - min(first.next_attempt_at))::float8 as late_s
    from ready
    cross join lateral (
      select delivery.next_attempt_at
      from notice_deliveries as delivery
      where ${isDue(db)}
      order by delivery.next_attempt_at
      limit 1
    ) as first
  `;
  return row?.late_s;
}

/** What is sent in one way, mails or calls, so that a slow way does not hold up the other. */
export type Lane = {
  by_mail: boolean;
  /** How many may be sent at once: by this process, and of a tenant and a notice by all. */
  in_all: number;
  per_tenant: number;
  per_notice: number;
  /** For how long a message is leased to the process that sends it. */
  lease_s: number;
};

/** A message that this process sends now. */
export type ClaimedDelivery = {
  id: number;
  tenant_id: number;
  notice_id: number;
  message_id: string;
  type: NoticeDelivery['type'];
  failures: number;
  leases: number;
  created_at: string;
  /** A mail has none. */
  url?: string;
  sealed_secrets: Uint8Array[];
  /** Of the run, unless it is a test. */
  run_id?: number;
  workflow_id: number;
  workflow_version_id: number;
  status: string;
  trigger_id?: number;
  started_by: number;
  test_run: boolean;
  error_message?: string;
};

/** One claims at a time, so that none counts what another is about to claim. */
export const lockClaims = (tx: Db) => tx`select pg_advisory_xact_lock(7246013)`;

/**
 * Leases what is due, to those first who have least of it under way: no tenant and no receiver
 * takes all places. Needs `lockClaims`.
 */
export const claimDue = (tx: Db, lane: Lane) => tx<ClaimedDelivery[]>`
  with ${leaps(tx, tx`notice.by_mail = ${lane.by_mail}`)},
  under_way as materialized (
    select sent.tenant_id, sent.notice_id, count(*) as count
    from notice_deliveries as sent
    join notices as notice on notice.tenant_id = sent.tenant_id and notice.id = sent.notice_id
    where sent.leased_until > statement_timestamp() and notice.by_mail = ${lane.by_mail}
    group by sent.tenant_id, sent.notice_id
  ),
  due as (
    select mine.id, mine.next_attempt_at, ready.tenant_id, mine.place + coalesce(sent.count, 0) as place
    from ready
    left join under_way as sent
      on sent.tenant_id = ready.tenant_id and sent.notice_id = ready.id
    cross join lateral (
      select delivery.id, delivery.next_attempt_at,
             row_number() over (order by delivery.next_attempt_at, delivery.id) as place
      from notice_deliveries as delivery
      where ${isDue(tx)}
      order by delivery.next_attempt_at, delivery.id
      limit greatest(0, ${lane.per_notice}::int - coalesce(sent.count, 0))
    ) as mine
  ),
  ranked as (
    select due.id, due.next_attempt_at,
           coalesce(sent.count, 0) + row_number() over (
             partition by due.tenant_id order by due.place, due.next_attempt_at, due.id
           ) as rank
    from due
    left join (
      select tenant_id, sum(count)::bigint as count from under_way group by tenant_id
    ) as sent on sent.tenant_id = due.tenant_id
  ),
  chosen as (
    select id
    from ranked
    where rank <= ${lane.per_tenant}::int
    order by rank, next_attempt_at, id
    limit ${lane.in_all}
  ),
  free as (
    select id from notice_deliveries where id in (select id from chosen)
    for no key update skip locked
  ),
  claimed as (
    update notice_deliveries as delivery
    set leased_until = statement_timestamp() + interval '1 second' * ${lane.lease_s}::float8,
        leases = leases + 1
    from free
    where delivery.id = free.id
    returning delivery.*
  )
  select
    claimed.id, claimed.tenant_id, claimed.notice_id, claimed.message_id, claimed.type,
    claimed.failures, claimed.leases, claimed.created_at, notice.url,
    array(
      select sealed_value
      from notice_secrets as secret
      where secret.tenant_id = claimed.tenant_id and secret.notice_id = claimed.notice_id
        and (secret.ends_at is null or secret.ends_at > statement_timestamp())
      order by secret.id desc
    ) as sealed_secrets,
    run.id as run_id, run.workflow_id, run.workflow_version_id, run.status, run.trigger_id,
    run.started_by, run.test_run, run.error_message
  from claimed
  join notices as notice
    on notice.tenant_id = claimed.tenant_id and notice.id = claimed.notice_id
  left join workflow_runs as run
    on run.tenant_id = claimed.tenant_id and run.id = claimed.run_id
`;

export type Claim = Pick<ClaimedDelivery, 'tenant_id' | 'id' | 'notice_id' | 'leases' | 'url'>;

/** How an attempt went, and what follows. */
export type Attempt = {
  duration_ms: number;
  status?: number | undefined;
  error?: string | undefined;
  state: NoticeDelivery['state'];
  /** Of one that waits for the next. */
  wait_s?: number | undefined;
  /** How long the receiver asks to be left alone. */
  quiet_s?: number | undefined;
  /** Whether it tells anything of the receiver. */
  isOfReceiver: boolean;
};

/**
 * Notes an attempt, unless its lease has passed to another process. What it tells of the receiver
 * counts only while the notice has the same URL.
 *
 * @returns for how long every attempt had failed before; undefined if the attempt was a success, or
 *   tells nothing of the receiver.
 */
export async function noteAttempt(
  tx: Db,
  claim: Claim,
  attempt: Attempt,
): Promise<{ failing_s?: number } | undefined> {
  const hasFailed = attempt.state !== 'delivered';
  const ofReceiver = tx`
    ${attempt.isOfReceiver}::boolean and notice.url is not distinct from ${claim.url ?? null}
  `;
  const [row] = await tx<{ failing_s?: number }[]>`
    with noted as (
      update notice_deliveries
      set state = ${attempt.state},
          failures = failures + ${hasFailed ? 1 : 0}::int,
          next_attempt_at =
            statement_timestamp() + ${attempt.wait_s ?? 0}::float8 * interval '1 second',
          leased_until = null
      where tenant_id = ${claim.tenant_id} and id = ${claim.id} and leases = ${claim.leases}
        and leased_until is not null
      returning tenant_id, id, notice_id
    ),
    added as (
      insert into notice_attempts
        (tenant_id, delivery_id, attempted_at, duration_ms, status, error)
      select tenant_id, id,
             statement_timestamp() - ${attempt.duration_ms} * interval '1 millisecond',
             ${attempt.duration_ms}::int, ${attempt.status ?? null}::int,
             ${attempt.error ?? null}::text
      from noted
    ),
    judged as (
      update notices as notice
      set failing_since = case
            when ${hasFailed}::boolean then coalesce(notice.failing_since, statement_timestamp())
          end,
          quiet_until = case
            when ${attempt.quiet_s ?? 0}::float8 > 0
            then statement_timestamp() + ${attempt.quiet_s ?? 0}::float8 * interval '1 second'
            else notice.quiet_until
          end
      from noted
      where notice.tenant_id = noted.tenant_id and notice.id = noted.notice_id
        and ${ofReceiver}
        -- Most attempts change nothing here, and then do not wait for each other.
        and (
          (notice.failing_since is null) = ${hasFailed}::boolean
          or ${attempt.quiet_s ?? 0}::float8 > 0
        )
    )
    select extract(epoch from statement_timestamp() - notice.failing_since)::float8 as failing_s
    from noted
    join notices as notice
      on notice.tenant_id = noted.tenant_id and notice.id = noted.notice_id
    where ${hasFailed}::boolean and ${ofReceiver}
  `;
  return row;
}

/** Ends the lease of a message that was not sent to the end; whoever comes next sends it. */
export const releaseClaim = (db: Db, { tenant_id, id, leases }: Claim) => db`
  update notice_deliveries set leased_until = null
  where tenant_id = ${tenant_id} and id = ${id} and leases = ${leases}
`;

/** @returns whether it was on, with this URL. */
export async function turnNoticeOff(
  tx: Db,
  { tenant_id, notice_id, url }: Claim,
  off_reason: 'gone' | 'failing',
): Promise<boolean> {
  const off = await tx`
    update notices set enabled = false, off_reason = ${off_reason}
    where tenant_id = ${tenant_id} and id = ${notice_id} and url is not distinct from ${url ?? null}
      and enabled
    returning id
  `;
  return off.length > 0;
}
