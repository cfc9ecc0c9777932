/** Events of tenants, their seals, and what somebody may do to them in SQL. */
import assert from 'node:assert/strict';
import { commands } from '../src/admin/commands.ts';
import type { Db } from '../src/db/connection.ts';
import { recordEvent } from '../src/resources/audit-events/audit-events.ts';
import { openSealing } from '../src/resources/audit-events/seals/sealing.ts';
import { type Cast, cast } from './cast.ts';
import type { TestServer } from './server.ts';

export function sealedEvents(server: TestServer) {
  const { db, keys } = server.services;

  /** As the duty does, until all are sealed; not at once while a transaction writes some. */
  const seal = async (limit = 1000, now?: () => Date) => {
    const sealSome = openSealing({ db, keys }, now);
    const isDone = async () => {
      const [row] = await db<{ count: number }[]>`
        select count(*) from audit_events where id > (select sealed_to from audit_sealing)
      `;
      return row?.count === 0;
    };
    for (let tries = 0; tries < 1000 && !(await isDone()); tries += 1) await sealSome(limit);
  };

  /** A tenant with events of its own. */
  const stage = async (count = 6) => {
    const people = await cast(server);
    const { tenant_id, id: user_id } = people.owner.user;
    for (let number = 0; number < count; number += 1) {
      const event = { action: `x.${number}`, target_type: 'x', details: { number } };
      await recordEvent(db, { tenant_id, user_id }, event);
    }
    const rows = await db<{ id: number }[]>`
      select id from audit_events where tenant_id = ${tenant_id} and target_type = 'x' order by id
    `;
    return { ...people, tenant_id, ids: rows.map(({ id }) => id) };
  };

  /** What somebody can do who may do anything in SQL. */
  const tamper = (work: (tx: Db) => Promise<unknown>) =>
    db.transaction(async (tx) => {
      await tx`set local session_replication_role = replica`;
      await work(tx);
    });

  /** A tenant whose events were written and sealed so many days ago. */
  const stageOld = async (count: number, days: number) => {
    await seal();
    const people = await stage(count);
    const then = new Date(Date.now() - days * 86_400_000);
    await tamper(
      (tx) => tx`
        update audit_events set created_at = ${then} where id > (select sealed_to from audit_sealing)
      `,
    );
    await seal(1000, () => then);
    return people;
  };

  const verify = async ({ admin }: Pick<Cast, 'admin'>, head?: string) => {
    const query = head === undefined ? '' : `?head=${head}`;
    const { status, body } = await admin.get(`/audit-events/verify${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };

  /** As operators do, for all tenants. */
  const check = () => {
    const command = commands.find(({ name }) => name === 'check-audit');
    assert.ok(command);
    return command.prepare({})(server.services);
  };

  const headOf = async ({ admin }: Pick<Cast, 'admin'>): Promise<string> =>
    (await admin.get('/audit-events/head')).body.head;

  return { seal, stage, stageOld, tamper, verify, check, headOf };
}
