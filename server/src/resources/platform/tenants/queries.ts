/** SQL of tenants, for platform admins. */
import type { Db } from '../../../db/connection.ts';
import { pageOf } from '../../../db/page-of.ts';
import { partOfText } from '../../../db/part-of-text.ts';
import type { Page } from '../../../pages.ts';
import type { Tenant } from './schema.ts';

/** Without the one that has what is the installation's own. */
const called = (db: Db, q: string) =>
  q === '' ? db`not is_platform` : db`not is_platform and name ilike ${partOfText(q)}`;

export function findTenants(db: Db, q: string, page: Page) {
  const ordered = db`
    select *
    from tenants
    where ${called(db, q)} ${page.after ? db`and id > ${Number(page.after[0])}` : db``}
    order by id
  `;
  return db<Tenant[]>`
    select ${shownColumns(db)} from (${pageOf(db, page, ordered)}) as tenants order by id
  `;
}

export async function countTenants(db: Db, q: string): Promise<number> {
  const [row] = await db<{ count: number }[]>`select count(*) from tenants where ${called(db, q)}`;
  return row?.count ?? 0;
}

export async function findTenant(db: Db, id: number): Promise<Tenant | undefined> {
  const [row] = await db<
    Tenant[]
  >`select ${shownColumns(db)} from tenants where id = ${id} and not is_platform`;
  return row;
}

/** With `tenants` in scope. */
const shownColumns = (db: Db) => db`
  id, name, created_at, plan, credits_limit,
  (credits_left(credit_account_id) / 1000.0)::float8 as credits_remaining,
  (
    select nullif(added, 0) / 1000 from credit_accounts where credit_accounts.id = credit_account_id
  ) as credits_added,
  seats_limit, storage_limit_bytes, max_running_node_runs,
  ${activeUsers(db)} as user_count,
  ${activeUsers(db)} + (
    select count(*)
    from invitations
    where invitations.tenant_id = tenants.id and ended_at is null and expires_at > now()
  ) as seats_used,
  (
    select coalesce(sum(used_bytes), 0)::bigint
    from (
      select used_bytes from storage_usage where storage_usage.tenant_id = tenants.id
      union all
      select used_bytes from storage_changes where storage_changes.tenant_id = tenants.id
    ) as stored
  ) as storage_used_bytes
`;

const activeUsers = (db: Db) => db`
  (select count(*) from users where users.tenant_id = tenants.id and status = 'active')
`;
