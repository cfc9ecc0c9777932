/** SQL of secrets. */
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { Tag } from '../../db/statement.ts';
import type { Page } from '../../pages.ts';
import type { Secret, SecretUse } from './schema.ts';

export type SecretRow = Secret & { tenant_id: number };
export type SealedSecret = SecretRow & {
  /** A managed secret has none. */
  sealed_value?: Uint8Array;
  /** Whether kind and version are part of the seal; not in values of earlier releases. */
  binds_version: boolean;
};

const columns = (db: Tag) =>
  db`id, tenant_id, name, kind, server, is_managed, version, created_at, updated_at,
     last_used_at`;

export async function addSecret(
  db: Db,
  secret: {
    tenant_id: number;
    name: string;
    kind: string;
    server: string | undefined;
    sealed_value: Uint8Array;
    created_by: number;
  },
): Promise<SecretRow> {
  const [row] = await db<SecretRow[]>`
    insert into secrets (tenant_id, name, kind, server, sealed_value, binds_version, created_by)
    values (${secret.tenant_id}, ${secret.name}, ${secret.kind}, ${secret.server ?? null},
            ${secret.sealed_value}, true, ${secret.created_by})
    returning ${columns(db)}
  `;
  if (!row) throw new Error('The secret was not added.');
  return row;
}

export async function listSecretRows(
  db: Db,
  tenantId: number,
  { after, offset, limit, with_total }: Page,
) {
  const ordered = db`
    select ${columns(db)}
    from secrets
    where tenant_id = ${tenantId} and id > ${after?.[0] ?? 0}
    order by id
  `;
  const rows = await db<SecretRow[]>`${pageOf(db, { limit, offset }, ordered)}`;
  if (!with_total) return { rows };
  const [count] = await db<{ total: number }[]>`
    select count(*) as total from secrets where tenant_id = ${tenantId}
  `;
  return { rows, total: count?.total ?? 0 };
}

export async function findSecret(
  db: Db,
  tenantId: number,
  id: number,
): Promise<SecretRow | undefined> {
  const [row] = await db<SecretRow[]>`
    select ${columns(db)} from secrets where tenant_id = ${tenantId} and id = ${id}
  `;
  return row;
}

export async function findSealedSecret(
  db: Db,
  tenantId: number,
  id: number,
): Promise<SealedSecret | undefined> {
  const [row] = await db<SealedSecret[]>`
    select ${columns(db)}, sealed_value, binds_version
    from secrets
    where tenant_id = ${tenantId} and id = ${id}
  `;
  return row;
}

/** Locked, so that two changes at once are two versions. */
export async function lockSecret(
  tx: Db,
  tenantId: number,
  id: number,
): Promise<SecretRow | undefined> {
  const [row] = await tx<SecretRow[]>`
    select ${columns(tx)} from secrets where tenant_id = ${tenantId} and id = ${id} for update
  `;
  return row;
}

export async function replaceValue(
  db: Db,
  tenantId: number,
  id: number,
  server: string | undefined,
  sealedValue: Uint8Array,
): Promise<SecretRow | undefined> {
  const [row] = await db<SecretRow[]>`
    update secrets
    set sealed_value = ${sealedValue}, binds_version = true, server = ${server ?? null},
        version = version + 1, updated_at = now()
    where tenant_id = ${tenantId} and id = ${id}
    returning ${columns(db)}
  `;
  return row;
}

export function removeSecret(db: Db, tenantId: number, id: number) {
  return db`delete from secrets where tenant_id = ${tenantId} and id = ${id}`;
}

/** An attempt, and a secret that it takes: the credentials for a server, or the one of a name. */
export type Taker = { attempt_id: number; node_run_id: number; server?: string; name?: string };

/**
 * The tenant's registry secrets for these servers, of each the managed one, else the newest, and its
 * generic ones with these names. With `own`, also that for the installation's own registry, at its
 * address. In the same statement it notes which attempt takes which version; of managed ones there
 * are none, since their values are made for each attempt.
 */
export function takeSecrets(
  db: Tag,
  tenantId: number,
  { servers, own, names }: { servers: string[]; own: boolean; names: string[] },
  takers: readonly Taker[],
) {
  return db<SealedSecret[]>`
    with registries as (
      select distinct on (server) ${columns(db)}, sealed_value, binds_version
      from secrets
      where tenant_id = ${tenantId} and kind = 'registry'
        and (server = any(${servers}) or (${own}::boolean and is_managed and server is not null))
      order by server, is_managed desc, id desc
    ),
    found as (
      select * from registries
      union all
      select ${columns(db)}, sealed_value, binds_version
      from secrets
      where tenant_id = ${tenantId} and kind = 'generic' and name = any(${names})
    ),
    noted as (
      insert into attempt_secrets (tenant_id, attempt_id, node_run_id, secret_id, name, version)
      select found.tenant_id, attempt_id, node_run_id, found.id, found.name, found.version
      from unnest(
        ${takers.map(({ attempt_id }) => attempt_id)}::bigint[],
        ${takers.map(({ node_run_id }) => node_run_id)}::bigint[],
        ${takers.map(({ server }) => server ?? null)}::text[],
        ${takers.map(({ name }) => name ?? null)}::text[]
      ) as taker (attempt_id, node_run_id, server, name)
      join found on not found.is_managed
        and (
          (found.kind = 'registry' and found.server = taker.server)
          or (found.kind = 'generic' and found.name = taker.name)
        )
      on conflict do nothing
    )
    select * from found
  `;
}

export type SecretGiven = { node_run_id: number; attempt: number; name: string; version: number };

/** What the attempts of these node runs got, the first attempts first. */
export const findSecretsGiven = (db: Db, tenantId: number, nodeRunIds: readonly number[]) =>
  db<SecretGiven[]>`
    select given.node_run_id, attempts.number as attempt, given.name, given.version
    from attempt_secrets as given
    join attempts on attempts.id = given.attempt_id
    where given.tenant_id = ${tenantId} and given.node_run_id = any(${nodeRunIds}::bigint[])
    order by given.attempt_id, given.name
  `;

/** Which of these registries their tenants have a secret for. `own` is the name of the own one. */
export const findRegistries = (
  db: Tag,
  wanted: readonly { tenant_id: number; server: string }[],
  own: string,
) => db<{ tenant_id: number; server: string }[]>`
  select distinct wanted.tenant_id, wanted.server
  from unnest(
    ${wanted.map(({ tenant_id }) => tenant_id)}::bigint[],
    ${wanted.map(({ server }) => server)}::text[]
  ) as wanted (tenant_id, server)
  join secrets
    on secrets.tenant_id = wanted.tenant_id and secrets.kind = 'registry'
    and (secrets.is_managed or wanted.server <> ${own})
    and secrets.server = case
      when wanted.server = ${own} then (select server from own_registry) else wanted.server
    end
`;

/** The tenant's generic secrets with these names. */
export function findGenericSecrets(db: Tag, tenantId: number, names: string[]) {
  return db<SealedSecret[]>`
    select ${columns(db)}, sealed_value, binds_version
    from secrets
    where tenant_id = ${tenantId} and kind = 'generic' and name = any(${names})
  `;
}

/**
 * At most once a minute, so that a hundred lanes that start together do not write a hundred times.
 */
export function markUsed(db: Db, tenantId: number, ids: number[]) {
  return db`
    update secrets
    set last_used_at = now()
    where tenant_id = ${tenantId} and id = any(${ids})
      and (last_used_at is null or last_used_at < now() - interval '1 minute')
  `;
}

/** Published, or run by a trigger that is on: nobody looks at it when it starts. */
const runsByItself = (db: Db, tenantId: number) => db`
  (
    workflow_versions.state = 'published'
    or workflow_versions.id in (
      select workflow_version_id from triggers
      where tenant_id = ${tenantId} and enabled and workflow_version_id is not null
    )
  )
`;

/** Workflows with a version that runs by itself and passes this secret to a node. */
export const findWorkflowsWithSecret = (db: Db, tenantId: number, name: string, limit: number) =>
  db<SecretUse[]>`
    select distinct workflows.id as workflow_id, workflows.name
    from workflow_versions
    join workflows on workflows.tenant_id = workflow_versions.tenant_id
      and workflows.id = workflow_versions.workflow_id
    where workflow_versions.tenant_id = ${tenantId}
      and ${runsByItself(db, tenantId)}
      and deleted_at is null
      and exists (
        select
        from jsonb_array_elements(graph -> 'nodes') as node
        cross join jsonb_each(coalesce(node -> 'params', '{}')) as param
        where param.value = jsonb_build_object('$secret', ${name}::text)
      )
    order by workflows.name, workflows.id
    limit ${limit}
  `;

/** Workflows with the images of their versions that run by themselves. */
export const findImagesOfWorkflows = (db: Db, tenantId: number) =>
  db<(SecretUse & { images: string[] })[]>`
    select workflows.id as workflow_id, workflows.name, array_agg(distinct image) as images
    from workflow_versions
    join workflows on workflows.tenant_id = workflow_versions.tenant_id
      and workflows.id = workflow_versions.workflow_id
    cross join jsonb_array_elements(graph -> 'nodes') as node
    join node_definitions on node_definitions.id = (node ->> 'node_definition_id')::bigint
    where workflow_versions.tenant_id = ${tenantId}
      and ${runsByItself(db, tenantId)}
      and workflows.deleted_at is null
    group by workflows.id
    order by workflows.name, workflows.id
  `;

export async function countRegistrySecrets(db: Db, tenantId: number, server: string) {
  const [row] = await db<{ count: number }[]>`
    select count(*) as count
    from secrets
    where tenant_id = ${tenantId} and kind = 'registry' and server = ${server}
  `;
  return row?.count ?? 0;
}

/** Sets the server of the installation's own registry. @returns false if it is that already. */
export async function setOwnRegistry(tx: Db, server: string | null): Promise<boolean> {
  const { count } = await tx`
    update own_registry set server = ${server} where server is distinct from ${server}
  `;
  return count > 0;
}

export const setManagedServer = (tx: Db, server: string | null) => tx`
  update secrets
  set server = ${server}, updated_at = now()
  where is_managed and server is distinct from ${server}
`;
