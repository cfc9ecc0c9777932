/** A real tenant beside the model of its tree: its people, its calls through HTTP, what it shows. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { type Answer, type Client, cast } from '../cast.ts';
import { bits, rightsAt, type State } from '../rights/reference.ts';
import type { TestServer } from '../server.ts';
import { folder, share } from '../sharing.ts';
import {
  below,
  type Call,
  isLive,
  type Node,
  pathsOf,
  type Rights,
  type Tree,
  trashOf,
  withIds,
} from './tree-model.ts';

export type World = {
  server: TestServer;
  /** The admin first, then the members. */
  people: Client[];
  tenantId: number;
  rootId: number;
  /** All cogs that were ever seen, and one of another tenant. */
  ids: number[];
  tree: Tree;
};

/**
 * A tenant with a folder that two members own, and one that a third may only look at. All three may
 * create in the root.
 */
export async function openWorld(server: TestServer): Promise<World> {
  const { admin, owner, editor, viewer, stranger } = await cast(server);
  const { body: root } = await admin.get('/cogs/root');
  const foreign = await folder(stranger, 'foreign');
  const home = await folder(admin, 'home');
  for (const one of [owner, editor]) await share(admin, home.id, one, 'owner');
  await share(admin, home.id, viewer, 'viewer');
  const nodes: Node[] = [
    { id: root.id, name: root.name, owner: root.owner_id },
    { id: home.id, parent: root.id, name: 'home', owner: admin.user.id },
  ];
  return {
    server,
    people: [admin, owner, editor, viewer],
    tenantId: admin.user.tenant_id,
    rootId: root.id,
    ids: [home.id, root.id, foreign.id],
    tree: new Map(nodes.map((node) => [node.id, node])),
  };
}

/** Without the usual bias to small numbers, which would be the first cogs. */
export const index = fc.noBias(fc.nat({ max: 9999 }));
/** Few, so that they are taken often; two are the same to the server. */
const name = fc.constantFrom('a', 'b', 'c', 'A', '%', 'caf\u00e9', 'cafe\u0301');
const maybeName = fc.option(name, { nil: undefined });

/** What a random call is, before its numbers are ids of what exists by then. */
export type Wish = {
  do: Call['do'];
  by: number;
  cog: number;
  to: number;
  name?: string | undefined;
};

const weights: [Call['do'], number][] = [
  ['create', 5],
  ['upload', 4],
  ['change', 7],
  ['copy', 3],
  ['write', 2],
  ['rewind', 1],
  ['delete', 4],
  ['restore', 4],
  ['purge', 2],
  ['transfer', 1],
];

export const wish: fc.Arbitrary<Wish> = fc.oneof(
  ...weights.map(([kind, weight]) => ({
    weight,
    arbitrary: fc.record({
      do: fc.constant(kind),
      by: index,
      cog: index,
      to: index,
      name: kind === 'create' || kind === 'upload' ? name : maybeName,
    }),
  })),
);

/**
 * A history by the admin in which every kind of call is accepted: the first example, because a
 * few random histories may by chance lack a kind.
 */
export const everyKind: Wish[] = (
  [
    ['create', 'a', 1, 1],
    ['upload', 'b', 1, 1],
    ['write', undefined, 1, 1],
    ['rewind', undefined, 1, 3],
    ['change', 'c', 9, 3],
    ['copy', 'A', 17, 1],
    ['transfer', undefined, 9, 1],
    ['delete', undefined, 17, 1],
    ['restore', undefined, 1, 1],
    ['delete', undefined, 17, 1],
    ['purge', undefined, 1, 1],
  ] as const
).map(([kind, name, cog, to]) => ({ do: kind, by: 0, cog, to, name }));

/** The call for a wish. @param among the users that make calls. */
export function callOf({ ids, tree }: World, wished: Wish, among: Client[]): Call {
  const pick = <T>(from: readonly T[], place: number) => from[place % from.length] as T;
  const nodes = ids.flatMap((id) => tree.get(id) ?? []);
  const live = nodes.filter(({ id }) => isLive(tree, id));
  const sensible: Partial<Record<Call['do'] | 'to', Node[]>> = {
    ...{ create: live.filter(isFolder), upload: live.filter(isFolder), to: live.filter(isFolder) },
    ...{ write: live.filter(isFile), rewind: live.filter(isFile) },
    ...{ restore: trashOf(tree), purge: trashOf(tree) },
  };
  /** One in eight is about any cog at all. */
  const choose = (kind: Call['do'] | 'to', place: number) => {
    const some = (sensible[kind] ?? live.filter((node) => node.parent)).map(({ id }) => id);
    return pick(place % 8 === 0 || some.length === 0 ? ids : some, place >> 3);
  };
  const place = { by: pick(among, wished.by).user.id, cog: choose(wished.do, wished.cog) };
  const { name } = wished;
  const named = name === undefined ? {} : { name };
  const to = choose('to', wished.to);
  switch (wished.do) {
    case 'create':
      return { ...place, do: 'create', name: name ?? 'a' };
    case 'upload':
      return { ...place, do: 'upload', name: name ?? 'a', text: 'u'.repeat(wished.to % 50) };
    case 'change':
      return { ...place, do: 'change', ...named, ...(wished.to % 3 === 0 ? {} : { to }) };
    case 'copy':
      return { ...place, do: 'copy', to, ...named };
    case 'write':
      return { ...place, do: 'write', text: `w${'w'.repeat(wished.to % 50)}` };
    case 'rewind':
      return { ...place, do: 'rewind', version: 1 + (wished.to % 3) };
    case 'restore':
      return { ...place, do: 'restore', ...named };
    case 'transfer':
      return { ...place, do: 'transfer', user: pick(among, wished.to).user.id };
    default:
      return { ...place, do: wished.do };
  }
}

const isFile = (node: Node) => node.contents !== undefined;
const isFolder = (node: Node) => !isFile(node);

export function send({ people }: World, call: Call): Promise<Answer> {
  const by = people.find(({ user }) => user.id === call.by) as Client;
  const path = `/cogs/${call.cog}`;
  const named = 'name' in call && call.name !== undefined ? { name: call.name } : {};
  switch (call.do) {
    case 'create':
      return by.post('/cogs/', { ...named, cog_type: 'asset_folder', parent_id: call.cog });
    case 'upload':
      return by.upload(call.name, call.text, call.cog);
    case 'change':
      return by.patch(path, { ...named, ...(call.to === undefined ? {} : { parent_id: call.to }) });
    case 'copy':
      return by.post(`${path}/copy`, { ...named, parent_id: call.to });
    case 'write':
      return write(by, call.cog, call.text);
    case 'rewind':
      return by.post(`${path}/versions/${call.version}/restore`);
    case 'delete':
      return by.delete(path);
    case 'restore':
      return by.post(`${path}/restore`, named);
    case 'purge':
      return by.delete(`${path}?permanent=true`);
    default:
      return by.post(`${path}/transfer`, { user_id: call.user });
  }
}

/** A new content for a file. */
export async function write(by: Client, id: number, text: string): Promise<Answer> {
  const form = new FormData();
  form.append('file', new Blob([text]), 'any');
  const answer = await by.fetch(`/cogs/${id}/content`, { method: 'POST', body: form });
  return { status: answer.status, headers: answer.headers, body: await answer.json() };
}

/** Why it was refused, in the words of the model; undefined if it was not. */
export const refusalOf = ({ status, body }: Answer) =>
  status < 400 ? undefined : status === 409 ? `409 ${body.code}` : String(status);

/** The rights that grants give in this tree. */
export function rightsIn({ people, tree, rootId }: World, grants: State['grants']): Rights {
  const roles = new Map(people.map(({ user }) => [user.id, user.role]));
  const cogs = new Map(
    [...tree.values()].map(({ id, parent, contents }) => [
      id,
      {
        id,
        ...(parent === undefined ? {} : { parent_id: parent }),
        cog_type: contents ? 'file' : 'folder',
        is_deleted: !isLive(tree, id),
      },
    ]),
  );
  const isAdmin = (user: number) => roles.get(user) === 'admin';
  const bitsAt = (user: number, id: number) =>
    rightsAt({ cogs, grants }, user, id, Date.now()) |
    (id === rootId ? bits.view | bits.upload : 0);
  return {
    isAdmin,
    may: (user, right, id) => isAdmin(user) || (bitsAt(user, id) & bits[right]) > 0,
    ownsAll: (user, id) =>
      isAdmin(user) ||
      [id, ...below(tree, id).map((node) => node.id)]
        .filter((one) => isLive(tree, one))
        .every((one) => bitsAt(user, one) === 63),
  };
}

// biome-ignore lint/suspicious/noExplicitAny: what the server really sent
type Shown = any;

/** Everything that an admin finds by opening every folder, by path. */
export async function everything(admin: Client, rootId: number): Promise<Map<string, Shown>> {
  const found = new Map<string, Shown>();
  const open = async (id: number, prefix: string): Promise<void> => {
    const { body, headers } = await admin.get(`/cogs/?parent_id=${id}&with_total=true&limit=1000`);
    assert.equal(Number(headers.get('x-total-count')), body.length);
    for (const cog of body) {
      const path = `${prefix}/${cog.name}`;
      assert.ok(!found.has(path), `two are called ${path}`);
      found.set(path, cog);
      if (cog.cog_type !== 'file') await open(cog.id, path);
    }
  };
  await open(rootId, '');
  return found;
}

/** The tree with the ids that are shown, for what a copy made: the paths tell them. */
export function idsByPath(tree: Tree, rootId: number, shown: Map<string, Shown>): Tree {
  const paths = [...pathsOf(tree, rootId)].filter(([, node]) => node.id < 0);
  return withIds(tree, new Map(paths.map(([path, node]) => [node.id, shown.get(path).id])));
}

export const trashIds = async (admin: Client): Promise<number[]> =>
  (await admin.get('/cogs/trash?limit=1000')).body.map(({ id }: Shown) => id).sort();

export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** How what is shown differs from the model; undefined if it does not. */
export function difference(tree: Tree, rootId: number, shown: Map<string, Shown>) {
  const wanted = pathsOf(tree, rootId);
  for (const path of new Set([...wanted.keys(), ...shown.keys()])) {
    const [node, cog] = [wanted.get(path), shown.get(path)];
    if (!node || !cog) return `${path} is ${node ? 'missing' : 'too much'}`;
    if (node.id > 0 && node.id !== cog.id) return `${path} is ${cog.id} and not ${node.id}`;
    const fault = differs(node, cog);
    if (fault) return `${path}: ${fault}`;
  }
  return undefined;
}

function differs({ contents }: Node, cog: Shown): string | undefined {
  const text = contents?.at(-1)?.text;
  if (text === undefined) return cog.checksum_sha256 ? 'is a file' : undefined;
  if (cog.version !== contents?.length) return `version ${cog.version}, not ${contents?.length}`;
  if (cog.size_bytes !== text.length) return `has ${cog.size_bytes} bytes`;
  return cog.checksum_sha256 === sha256(text) ? undefined : 'has other content';
}
