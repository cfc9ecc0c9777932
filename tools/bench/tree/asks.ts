/** What is asked of a tree, by an admin and by a member who has grants on some of it. */
import { type Api, send } from '../http.ts';
import type { Tree } from './fill.ts';

export type Ask = {
  name: string;
  /** Milliseconds; the 99th percentile in the larger tree is to stay below it. */
  goal_ms?: number;
  once(): Promise<unknown>;
  /** Done after each, and not measured. */
  undo?(): Promise<unknown>;
  /** Done before the first and after the last. */
  prepare?(): Promise<unknown>;
  end?(): Promise<unknown>;
};

type Place = { url: string; admin: string; member: string; api: Api; tree: Tree };

/** The same for every tree, in the same order. */
export async function asksOf(place: Place): Promise<Ask[]> {
  const { url, admin, member, tree } = place;
  const asked = (token: string) => (path: string) =>
    send('GET', url + path, { headers: { authorization: `Bearer ${token}` } });
  const [asAdmin, asMember] = [asked(admin), asked(member)];
  const wide = `/cogs/?parent_id=${tree.wide}&limit=100`;
  const cursors = new Map<string, string>();
  for (const sort of ['name', '-size_bytes', '-updated_at']) {
    cursors.set(sort, await cursorInTheMiddle(place, sort));
  }
  const list = (name: string, path: string): Ask[] => [
    { name, goal_ms: 30, once: () => asAdmin(path) },
    { name: `${name}, as a member`, goal_ms: 30, once: () => asMember(path) },
  ];
  const sorted = ['created_at', '-updated_at', 'size_bytes', '-size_bytes'];
  return [
    { name: 'get a file', once: () => asAdmin(`/cogs/${tree.file}`) },
    { name: 'get a file below forty folders', once: () => asMember(`/cogs/${tree.deepest}`) },
    { name: 'path of it', once: () => asMember(`/cogs/${tree.deepest}/path`) },
    {
      name: 'why one may see it',
      once: () => asMember(`/permissions/cogs/${tree.file}/effective`),
    },
    ...list('list of the root', '/cogs/?limit=100'),
    ...list('list of the wide folder', wide),
    ...sorted.flatMap((sort) => list(`the same by ${sort}`, `${wide}&sort=${sort}`)),
    ...[...cursors].flatMap(([sort, cursor]) =>
      list(`page in its middle by ${sort}`, `${wide}&sort=${sort}&cursor=${cursor}`),
    ),
    ...list('its folders alone', `${wide}&cog_type=asset_folder`),
    ...list('shared with me', '/cogs/shared-with-me?limit=100'),
    ...list('search, a rare name', '/cogs/search?q=scan%207777.png'),
    ...list('search, a common name', '/cogs/search?q=scan'),
    ...list('search below a folder', `/cogs/search?q=scan%205&under=${tree.moved}`),
    ...changes(place),
  ];
}

/** Each of a folder with a tenth of everything below it. */
function changes({ api, tree }: Place): Ask[] {
  const path = `/cogs/${tree.moved}`;
  const moveTo = (parent_id: number) => () => api('PATCH', path, { parent_id });
  const renameTo = (name: string) => () => api('PATCH', path, { name });
  const remove = () => api('DELETE', path);
  const restore = () => api('POST', `${path}/restore`, {});
  return [
    ask('move', moveTo(tree.wide), moveTo(tree.root)),
    ask('rename', renameTo('Renamed'), renameTo('Moved')),
    ask('delete', remove, restore),
    { ...ask('restore', restore, remove), prepare: remove, end: restore },
  ];
}

const ask = (name: string, once: Ask['once'], undo: Ask['once']): Ask => ({
  ...{ name: `${name} of a tenth of everything`, goal_ms: 10, once, undo },
});

/** The cursor after half of the wide folder. */
async function cursorInTheMiddle({ url, admin, tree }: Place, sort: string): Promise<string> {
  const offset = Math.floor(tree.cogs / 20);
  const response = await fetch(
    `${url}/cogs/?parent_id=${tree.wide}&sort=${sort}&limit=1&offset=${offset}`,
    { headers: { authorization: `Bearer ${admin}` } },
  );
  await response.arrayBuffer();
  const cursor = /[?&]cursor=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1];
  if (cursor === undefined) throw new Error(`There is no page after ${offset} by ${sort}.`);
  return cursor;
}
