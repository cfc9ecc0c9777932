/** SQL of the images that the installation makes itself. */
import type { Db } from '../db/connection.ts';
import type { Tag } from '../db/statement.ts';
import type { ImageName } from './recipes/all.ts';

export type ImageRow = ImageName & {
  state: 'wanted' | 'building' | 'ready' | 'failed';
  step?: string;
  size_bytes?: number;
};

const named = (db: Tag, images: readonly ImageName[]) => db`
  unnest(${images.map(({ name }) => name)}::text[], ${images.map(({ tag }) => tag)}::text[])
`;

export const findImages = (db: Tag, images: readonly ImageName[]) => db<ImageRow[]>`
  select name, tag, state, step, size_bytes
  from platform_images
  where (name, tag) in (select * from ${named(db, images)})
  order by name
`;

/** Those that are neither there nor under way are to be made; failed ones after a pause. */
export const addWanted = (db: Db, images: readonly ImageName[], pauseSeconds: number) => db`
  with wanted as (
    insert into platform_images (name, tag, state)
    select name, tag, 'wanted' from ${named(db, images)} as given (name, tag)
    -- In one order: two that want the same images would wait for each other.
    order by name, tag
    on conflict (name, tag) do update
    set state = 'wanted', step = null, updated_at = now()
    where platform_images.state = 'failed'
      and platform_images.updated_at <= now() - ${pauseSeconds} * interval '1 second'
    returning name
  )
  select pg_notify('images', name) from wanted
`;

/** Takes one of these images to make: one that is wanted, or whose maker has died. */
export async function claimImage(
  db: Db,
  images: readonly ImageName[],
  silentSeconds: number,
): Promise<ImageName | undefined> {
  const [row] = await db<ImageName[]>`
    update platform_images
    set state = 'building', step = null, updated_at = now()
    where (name, tag) in (
      select name, tag
      from platform_images
      where (name, tag) in (select * from ${named(db, images)})
        and (
          state = 'wanted'
          or state = 'building' and updated_at < now() - ${silentSeconds} * interval '1 second'
        )
      order by updated_at, name
      limit 1
      for update skip locked
    )
    returning name, tag
  `;
  return row;
}

/** Notes what is being done, or without a step that it goes on. */
export const noteStep = (db: Db, { name, tag }: ImageName, step: string | null) => db`
  update platform_images
  set step = coalesce(${step}::text, step), updated_at = now()
  where name = ${name} and tag = ${tag} and state = 'building'
`;

export const setReady = (
  db: Db,
  { name, tag }: ImageName,
  made: { digest: string; size_bytes: number },
) => db`
  insert into platform_images (name, tag, state, digest, size_bytes)
  values (${name}, ${tag}, 'ready', ${made.digest}, ${made.size_bytes})
  on conflict (name, tag) do update
  set state = 'ready', step = null, digest = excluded.digest, size_bytes = excluded.size_bytes,
      updated_at = now()
`;

export const setFailed = (db: Db, { name, tag }: ImageName, why: string) => db`
  update platform_images
  set state = 'failed', step = ${why}, updated_at = now()
  where name = ${name} and tag = ${tag} and state = 'building'
`;

/** Of images that were never wanted: why they cannot be made, unless other servers may do it. */
export const addFailed = (db: Db, images: readonly ImageName[], why: string) => db`
  insert into platform_images (name, tag, state, step)
  select name, tag, 'failed', ${why}::text from ${named(db, images)} as given (name, tag)
  where ${isAlone(db)}
  order by name, tag
  on conflict do nothing
`;

/** Whether one of these is to be made, and nobody makes it. */
export async function isAnyWanted(
  db: Db,
  images: readonly ImageName[],
  silentSeconds: number,
): Promise<boolean> {
  const [row] = await db`
    select from platform_images
    where (name, tag) in (select * from ${named(db, images)})
      and (
        state = 'wanted'
        or state = 'building' and updated_at < now() - ${silentSeconds} * interval '1 second'
      )
    limit 1
  `;
  return row !== undefined;
}

/** How long an image is left to others, who look for work themselves. */
export type Patience = {
  /** A maker that has not said for so long that it goes on has died. */
  silentSeconds: number;
  /** Where no other server runs. */
  aloneSeconds: number;
  /** Where others run, of which none may be able to make it. */
  othersSeconds: number;
};

/** Gives up those that nobody has begun to make for a while, unless somebody has made another meanwhile. */
export const setLeftFailed = (
  db: Db,
  images: readonly ImageName[],
  why: string,
  { silentSeconds, aloneSeconds, othersSeconds }: Patience,
) => db`
  update platform_images
  set state = 'failed', step = ${why}, updated_at = now()
  where (name, tag) in (select * from ${named(db, images)})
    and state in ('wanted', 'building')
    and updated_at < now() - interval '1 second' * (
      case when state = 'building' then ${silentSeconds}::int else 0 end
      + case when ${isAlone(db)} then ${aloneSeconds}::int else ${othersSeconds}::int end
    )
    and not exists (
      select from platform_images as other
      where other.state in ('building', 'ready')
        and other.updated_at >= now() - ${silentSeconds} * interval '1 second'
    )
`;

/** Whether at most one server has been seen in the last minute. */
const isAlone = (db: Db) => db`(
  select count(*)
  from server_processes
  where role = 'serve' and seen_at > now() - interval '1 minute'
) < 2`;

/** An image that its maker gives back. */
export const setWanted = (db: Db, { name, tag }: ImageName) => db`
  update platform_images
  set state = 'wanted', step = null, updated_at = now()
  where name = ${name} and tag = ${tag} and state = 'building'
`;

/** Forgets failures, for a machine that may make what it could not before. */
export const forgetFailures = (db: Db, images: readonly ImageName[]) => db`
  delete from platform_images
  where state = 'failed' and (name, tag) in (select * from ${named(db, images)})
`;
