/** SQL of secrets. */
import type { Db } from '../../db/connection.ts';
import { pageOf } from '../../db/page-of.ts';
import type { Tag } from '../../db/statement.ts';
import type { Page } from '../../pages.ts';
import type { Secret } from './schema.ts';

export type SecretRow = Secret & { tenant_id: number };
export type SealedSecret = SecretRow & { sealed_value: Uint8Array };

const columns = (db: Tag) =>
  db`id, tenant_id, name, kind, server, version, created_at, updated_at, last_used_at`;

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
    insert into secrets (tenant_id, name, kind, server, sealed_value, created_by)
    values (${secret.tenant_id}, ${secret.name}, ${secret.kind}, ${secret.server ?? null},
            ${secret.sealed_value}, ${secret.created_by})
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

export async function replaceValue(
  db: Db,
  tenantId: number,
  id: number,
  server: string | undefined,
  sealedValue: Uint8Array,
): Promise<SecretRow | undefined> {
  const [row] = await db<SecretRow[]>`
    update secrets
    set sealed_value = ${sealedValue}, server = ${server ?? null}, version = version + 1, updated_at = now()
    where tenant_id = ${tenantId} and id = ${id}
    returning ${columns(db)}
  `;
  return row;
}

export function removeSecret(db: Db, tenantId: number, id: number) {
  return db`delete from secrets where tenant_id = ${tenantId} and id = ${id}`;
}

/** The tenant's registry secrets for these servers, the newest of each. */
export function findRegistrySecrets(db: Tag, tenantId: number, servers: string[]) {
  return db<SealedSecret[]>`
    select distinct on (server) ${columns(db)}, sealed_value
    from secrets
    where tenant_id = ${tenantId} and kind = 'registry' and server = any(${servers})
    order by server, id desc
  `;
}

/** Which of these registries their tenants have a secret for. */
export const findRegistries = (
  db: Tag,
  wanted: readonly { tenant_id: number; server: string }[],
) => db<{ tenant_id: number; server: string }[]>`
  select distinct secrets.tenant_id, secrets.server
  from unnest(
    ${wanted.map(({ tenant_id }) => tenant_id)}::bigint[],
    ${wanted.map(({ server }) => server)}::text[]
  ) as wanted (tenant_id, server)
  join secrets
    on secrets.tenant_id = wanted.tenant_id and secrets.server = wanted.server
    and secrets.kind = 'registry'
`;

/** The tenant's generic secrets with these names. */
export function findGenericSecrets(db: Tag, tenantId: number, names: string[]) {
  return db<SealedSecret[]>`
    select ${columns(db)}, sealed_value
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

/** A workflow whose published version passes this secret to a node. */
export async function findWorkflowWithSecret(db: Db, tenantId: number, name: string) {
  const [row] = await db<{ name: string }[]>`
    select workflows.name
    from workflow_versions
    join workflows on workflows.tenant_id = workflow_versions.tenant_id
      and workflows.id = workflow_versions.workflow_id
    where workflow_versions.tenant_id = ${tenantId}
      and state = 'published'
      and deleted_at is null
      and exists (
        select
        from jsonb_array_elements(graph -> 'nodes') as node
        cross join jsonb_each(coalesce(node -> 'params', '{}')) as param
        where param.value = jsonb_build_object('$secret', ${name}::text)
      )
    limit 1
  `;
  return row?.name;
}

/** Images used by published versions, each with one workflow. */
export function findPublishedImages(db: Db, tenantId: number) {
  return db<{ image: string; workflow: string }[]>`
    select image, min(workflows.name) as workflow
    from workflow_versions
    join workflows on workflows.tenant_id = workflow_versions.tenant_id
      and workflows.id = workflow_versions.workflow_id
    cross join jsonb_array_elements(graph -> 'nodes') as node
    join node_definitions on node_definitions.id = (node ->> 'node_definition_id')::bigint
    where workflow_versions.tenant_id = ${tenantId}
      and state = 'published'
      and workflows.deleted_at is null
    group by image
  `;
}

export async function countRegistrySecrets(db: Db, tenantId: number, server: string) {
  const [row] = await db<{ count: number }[]>`
    select count(*) as count
    from secrets
    where tenant_id = ${tenantId} and kind = 'registry' and server = ${server}
  `;
  return row?.count ?? 0;
}
