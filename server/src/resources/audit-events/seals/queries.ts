/** SQL of the blocks that seal events. */
import type { Db } from '../../../db/connection.ts';
import type { Tag } from '../../../db/statement.ts';
import type { Head, Sealing } from './seals.ts';

const msOfEvent = (db: Tag) => db`(extract(epoch from event.created_at) * 1000)::bigint`;

/** The hash of an `event`: of all that it says. */
const hashOfEvent = (db: Tag) => db`
  sha256(convert_to(
    jsonb_build_array(
      event.id, event.tenant_id, event.actor_id, event.key_id, event.request_id, event.action,
      event.target_type, event.target_id, event.details,
      ${msOfEvent(db)}
    )::text,
    'UTF8'
  ))
`;

/** The last id that an event may have by now. */
export async function findLastId(db: Db): Promise<number> {
  const [row] = await db<{ id: number }[]>`
    select last_value - case when is_called then 0 else 1 end as id from audit_events_id_seq
  `;
  return row?.id ?? 0;
}

/**
 * The transactions that have written an event, or are about to. They hold this lock before they take
 * an id, and until they end.
 */
export async function findWriters(db: Db): Promise<string[]> {
  const rows = await db<{ writer: string }[]>`
    select distinct virtualtransaction as writer
    from pg_locks
    where locktype = 'relation' and relation = 'audit_events'::regclass
      and database = (select oid from pg_database where datname = current_database())
      and mode in (
        'RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock'
      )
  `;
  return rows.map(({ writer }) => writer);
}

/**
 * @returns up to which event all are sealed; undefined while another process seals.
 * @throws Error if nothing says so.
 */
export async function lockSealing(tx: Db): Promise<number | undefined> {
  const [row] = await tx<{ sealed_to: number }[]>`
    select sealed_to from audit_sealing for update skip locked
  `;
  if (!row) {
    const rows = await tx`select from audit_sealing`;
    if (rows.length === 0) throw isRemoved();
  }
  return row?.sealed_to;
}

const isRemoved = () =>
  new Error(
    'Somebody removed the row of audit_sealing, so no events are sealed. To go on: insert into audit_sealing (sealed_to) select coalesce(max(last_id), 0) from audit_blocks',
  );

export type Fresh = Pick<Sealing, 'tenant_id' | 'event_ids' | 'event_hashes'> & {
  /** The last block of the tenant, if there is one. */
  number?: number;
  last_id?: number;
  seal?: Uint8Array;
};

/** The next events that are in no block, by tenant. */
export const findFresh = (tx: Db, after: number, upTo: number, limit: number) => tx<Fresh[]>`
  with fresh as (
    select event.tenant_id, event.id, ${hashOfEvent(tx)} as hash
    from audit_events as event
    where event.id > ${after} and event.id <= ${upTo}
    order by event.id
    limit ${limit}
  ),
  grouped as (
    select tenant_id, array_agg(id order by id) as event_ids,
           string_agg(hash, ''::bytea order by id) as event_hashes
    from fresh
    group by tenant_id
  )
  select grouped.*, head.number, head.last_id, head.seal
  from grouped
  left join lateral (
    select number, last_id, seal
    from audit_blocks
    where tenant_id = grouped.tenant_id
    order by number desc
    limit 1
  ) as head on true
`;

export type NewBlock = Sealing & { seal: Uint8Array };

export function addBlocks(tx: Db, blocks: readonly NewBlock[], sealedTo: number) {
  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
  const rows = blocks.map((block) => ({
    ...block,
    ...{ event_hashes: hex(block.event_hashes), previous: hex(block.previous) },
    seal: hex(block.seal),
  }));
  return tx`
    with moved as (update audit_sealing set sealed_to = ${sealedTo})
    insert into audit_blocks
      (tenant_id, number, after_id, last_id, sealed_at, event_ids, event_hashes, previous, seal)
    select tenant_id, number, after_id, last_id, sealed_at,
           array(select jsonb_array_elements_text(event_ids)::bigint),
           decode(event_hashes, 'hex'), decode(previous, 'hex'), decode(seal, 'hex')
    from jsonb_to_recordset(${tx.json(rows)}) as block (
      tenant_id bigint, number bigint, after_id bigint, last_id bigint, sealed_at timestamptz,
      event_ids jsonb, event_hashes text, previous text, seal text
    )
  `;
}

/** A block as it is stored; without its events if they were removed because of their age. */
export type BlockRow = Omit<Sealing, 'event_ids' | 'event_hashes'> & {
  event_ids?: number[];
  event_hashes?: Uint8Array;
  seal: Uint8Array;
  cut_seal?: Uint8Array;
};

export const findBlocks = (
  db: Db,
  tenantId: number,
  { after, last, limit }: { after: number; last: number; limit: number },
) => db<BlockRow[]>`
  select tenant_id, number, after_id, last_id, sealed_at, event_ids, event_hashes, previous, seal,
         cut_seal
  from audit_blocks
  where tenant_id = ${tenantId} and number > ${after} and number <= ${last}
  order by number
  limit ${limit}
`;

/** What an event says now, and when it says that it happened. */
export type EventHash = { id: number; created_ms: number; hash: Uint8Array };

export const findHashes = (db: Db, tenantId: number, after: number, upTo: number) => db<
  EventHash[]
>`
  select event.id, ${msOfEvent(db)} as created_ms, ${hashOfEvent(db)} as hash
  from audit_events as event
  where event.tenant_id = ${tenantId} and event.id > ${after} and event.id <= ${upTo}
  order by event.id
`;

/**
 * Up to which event all are sealed, and the oldest block of a tenant that has its events.
 *
 * @throws Error if nothing says up to which.
 */
export async function findExtent(db: Db, tenantId: number) {
  const [row] = await db<{ sealed_to: number; oldest?: number }[]>`
    select sealed_to,
      (
        select min(number) from audit_blocks where tenant_id = ${tenantId} and cut_seal is null
      ) as oldest
    from audit_sealing
  `;
  if (!row) throw isRemoved();
  return row;
}

/**
 * The events of a tenant after the last one of its blocks: those that should be in a block, and how
 * many are new.
 */
export async function findUnsealed(
  db: Db,
  tenantId: number,
  { after, sealedTo, most }: { after: number; sealedTo: number; most: number },
) {
  const [row] = await db<{ overdue: number[]; fresh: number }[]>`
    select
      array(
        select id
        from audit_events
        where tenant_id = ${tenantId} and id > ${after} and id <= ${sealedTo}
        order by id
        limit ${most}
      ) as overdue,
      (
        select count(*)
        from audit_events
        where tenant_id = ${tenantId} and id > ${Math.max(after, sealedTo)}
      ) as fresh
  `;
  return row ?? { overdue: [], fresh: 0 };
}

export type HeadRow = Head & { sealed_at: string };

export async function findHead(db: Db, tenantId: number): Promise<HeadRow | undefined> {
  const [row] = await db<HeadRow[]>`
    select number, last_id, seal, sealed_at
    from audit_blocks
    where tenant_id = ${tenantId}
    order by number desc
    limit 1
  `;
  return row;
}

/** All tenants that have events or blocks. */
export async function findTenants(db: Db): Promise<number[]> {
  const rows = await db<{ id: number }[]>`
    select id
    from tenants
    where exists (select from audit_events where tenant_id = tenants.id)
      or exists (select from audit_blocks where tenant_id = tenants.id)
    order by id
  `;
  return rows.map(({ id }) => id);
}

/** More would be removed in one transaction for long. */
const mostCut = { blocks: 10_000, events: 50_000 };

export type OldBlock = HeadRow & { tenant_id: number };

/**
 * The last of the oldest blocks of a tenant that were sealed before, once the oldest is a day older:
 * each removal is an event, too. Locks it, so that one process removes them.
 *
 * @param without tenants that are left out.
 */
export async function lockOldBlock(tx: Db, before: Date, without: readonly number[]) {
  const [row] = await tx<OldBlock[]>`
    with oldest as (
      select tenant_id
      from audit_blocks
      where cut_seal is null and sealed_at < ${before}::timestamptz - interval '1 day'
        and tenant_id <> all(${without}::bigint[])
      order by sealed_at
      limit 1
    ),
    old as (
      select tenant_id, number,
             sum(cardinality(event_ids)) over (order by number) - cardinality(event_ids) as before
      from audit_blocks
      where tenant_id = (select tenant_id from oldest) and cut_seal is null
        and sealed_at < ${before}::timestamptz
      order by number
      limit ${mostCut.blocks}
    )
    select tenant_id, number, last_id, seal, sealed_at
    from audit_blocks
    -- Again: another process may have removed them since this statement began.
    where cut_seal is null and (tenant_id, number) in (
      select tenant_id, max(number) from old where before < ${mostCut.events} group by tenant_id
    )
    for update skip locked
  `;
  return row;
}

/** Removes the events of a block and of all before it. @returns how many. */
export async function cutUpTo(
  tx: Db,
  { tenant_id, number, last_id }: Head & { tenant_id: number },
  cutSeal: Uint8Array,
): Promise<number> {
  await tx`select set_config('cogworks.cuts_audit', 'on', true)`;
  const removed = await tx`
    delete from audit_events where tenant_id = ${tenant_id} and id <= ${last_id}
  `;
  await tx`delete from audit_blocks where tenant_id = ${tenant_id} and number < ${number}`;
  await tx`
    update audit_blocks
    set event_ids = null, event_hashes = null, cut_seal = ${cutSeal}
    where tenant_id = ${tenant_id} and number = ${number}
  `;
  await tx`select set_config('cogworks.cuts_audit', '', true)`;
  return removed.count;
}
