/**
 * Files and folders as a small model in memory: what every call does, and why it may be refused. It
 * shares no code with the server. A tree is a value: calls give a new one.
 */

/** Bytes that were stored once, however many files have them. */
export type Content = { object: string; text: string };

export type Node = {
  id: number;
  /** Undefined for the root. */
  parent?: number;
  name: string;
  owner: number;
  /** Set in the trash. */
  deleted_by?: number;
  /** Gone from the trash too; what is in it goes with the next sweep. */
  is_purged?: boolean;
  /** Of a file, oldest first. */
  contents?: readonly Content[];
};

export type Tree = ReadonlyMap<number, Node>;

/** A call of a user, with ids and not with places in a list. */
export type Call = { by: number; cog: number } & (
  | { do: 'create'; name: string }
  | { do: 'upload'; name: string; text: string }
  | { do: 'change'; to?: number; name?: string }
  | { do: 'copy'; to: number; name?: string }
  | { do: 'write'; text: string }
  | { do: 'rewind'; version: number }
  | { do: 'delete' }
  | { do: 'restore'; name?: string }
  | { do: 'purge' }
  | { do: 'transfer'; user: number }
);

/** What users may do. */
export type Rights = {
  isAdmin(user: number): boolean;
  may(user: number, right: 'view' | 'upload' | 'edit' | 'delete', id: number): boolean;
  /** Whether they own this and all below, now and for ever. */
  ownsAll(user: number, id: number): boolean;
};

/** Reasons for which a call must be refused, and for which it may be. */
export type Verdict = { must: string[]; may: string[] };

const normal = (name: string) => name.normalize('NFC');

/** From the cog up to the root; empty if it or something above is deleted or unknown. */
export function wayUp(tree: Tree, id: number): Node[] {
  const way: Node[] = [];
  for (let at = tree.get(id); at; at = at.parent === undefined ? undefined : tree.get(at.parent)) {
    if (at.deleted_by !== undefined || at.is_purged) return [];
    way.push(at);
  }
  return way;
}

export const isLive = (tree: Tree, id: number) => wayUp(tree, id).length > 0;

export const liveChildren = (tree: Tree, id: number) =>
  [...tree.values()].filter((node) => node.parent === id && isLive(tree, node.id));

/** Of any cog, deleted or not; without the cog itself. */
export const below = (tree: Tree, id: number): Node[] =>
  [...tree.values()]
    .filter((node) => node.parent === id)
    .flatMap((child) => [child, ...below(tree, child.id)]);

/** What is in the trash, by itself and not with a folder. */
export const trashOf = (tree: Tree) =>
  [...tree.values()].filter((node) => node.deleted_by !== undefined && !node.is_purged);

/** Bytes of all contents, each object once. */
export function bytesOf(tree: Tree): number {
  const contents = [...tree.values()].flatMap((node) => node.contents ?? []);
  const sizes = new Map(contents.map(({ object, text }) => [object, Buffer.byteLength(text)]));
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

/** Removes what was purged, with all below it. */
export function swept(tree: Tree): Tree {
  const gone = [...tree.values()].filter((node) => node.is_purged);
  const ids = new Set(gone.flatMap(({ id }) => [id, ...below(tree, id).map((node) => node.id)]));
  return new Map([...tree].filter(([id]) => !ids.has(id)));
}

/** Why the server must, or may, refuse this call. */
export function verdictOn(tree: Tree, rights: Rights, call: Call): Verdict {
  const must: string[] = [];
  const may: string[] = [];
  const { by, cog } = call;
  const node = tree.get(cog);
  const isThere = isLive(tree, cog);
  const isRoot = node !== undefined && node.parent === undefined;
  const needs = (right: 'view' | 'upload' | 'edit' | 'delete', id = cog) => {
    if (!isLive(tree, id)) must.push('404');
    else if (!rights.may(by, right, id)) must.push('403');
  };
  const takesName = (folder: number | undefined, name: string | undefined, except?: number) => {
    if (folder === undefined || name === undefined) return;
    const taken = liveChildren(tree, folder).some(
      (one) => one.name === normal(name) && one.id !== except,
    );
    if (taken) must.push('409 name_collision');
  };
  const target = (id: number) => {
    needs('upload', id);
    if (tree.get(id)?.contents) must.push('400');
    const isInside = wayUp(tree, id).some((above) => above.id === cog);
    if (isInside && !node?.contents) must.push('409 cycle');
  };
  const inTrash = () => {
    const isTrashed = node?.deleted_by !== undefined && !node.is_purged;
    if (isTrashed) return true;
    must.push(!isThere ? '404' : rights.may(by, 'view', cog) ? '409 not_in_trash' : '403');
    return false;
  };

  switch (call.do) {
    case 'create':
    case 'upload':
      needs('upload');
      if (node?.contents) must.push('400');
      takesName(cog, call.name);
      break;
    case 'change': {
      needs('edit');
      if (isRoot) must.push('409 root_folder');
      const isMove = call.to !== undefined && call.to !== node?.parent;
      if (isMove && call.to !== undefined) {
        target(call.to);
        // The grants on the way decide: the law of rights has tests of its own.
        if (!rights.ownsAll(by, cog)) may.push('403');
      }
      takesName(isMove ? call.to : node?.parent, call.name ?? node?.name, cog);
      break;
    }
    case 'copy':
      needs('view');
      if (isRoot) must.push('409 root_folder');
      target(call.to);
      takesName(call.to, call.name ?? node?.name);
      break;
    case 'write':
    case 'rewind':
      needs('edit');
      if (!node?.contents) must.push('400');
      if (call.do === 'rewind' && call.version > (node?.contents?.length ?? 0)) must.push('404');
      break;
    case 'delete': {
      needs('delete');
      if (isRoot) must.push('409 root_folder');
      for (const one of below(tree, cog)) {
        if (!isLive(tree, one.id)) may.push(...(rights.isAdmin(by) ? [] : ['403']));
        else if (!rights.may(by, 'delete', one.id)) must.push('403');
      }
      break;
    }
    case 'restore': {
      if (!inTrash()) break;
      // Others may, if their own right was not revoked.
      if (!rights.isAdmin(by) && node?.deleted_by !== by) may.push('404');
      if (node?.parent === undefined || !isLive(tree, node.parent)) must.push('409 parent_deleted');
      else takesName(node.parent, call.name ?? node.name);
      break;
    }
    case 'purge':
      if (inTrash() && !rights.isAdmin(by)) may.push('403', '404');
      break;
    case 'transfer':
      needs('view');
      if (isRoot) must.push('409 root_folder');
      if (!rights.isAdmin(by)) may.push('403');
      break;
  }
  return { must, may };
}

/** The tree after an accepted call. @param made the id of what it made, if it made something. */
export function after(tree: Tree, call: Call, made = 0): Tree {
  const { by, cog } = call;
  const node = tree.get(cog);
  const put = (one: Node) => new Map(tree).set(one.id, one);
  if (call.do === 'create') {
    return put({ id: made, parent: cog, name: normal(call.name), owner: by });
  }
  if (call.do === 'upload') {
    const contents = [{ object: `upload ${made}`, text: call.text }];
    return put({ id: made, parent: cog, name: normal(call.name), owner: by, contents });
  }
  if (!node) throw new Error(`There is no ${cog}.`);
  const { contents = [] } = node;
  switch (call.do) {
    case 'change':
      return put({
        ...node,
        ...(call.name === undefined ? {} : { name: normal(call.name) }),
        ...(call.to === undefined ? {} : { parent: call.to }),
      });
    case 'copy':
      return placed(tree, snapshot(tree, cog), { ...call, made });
    case 'write':
      // An object has one writer, so its place among the versions tells it.
      return put({
        ...node,
        contents: [...contents, { object: `write ${cog} ${contents.length}`, text: call.text }],
      });
    case 'rewind': {
      const again = contents[call.version - 1];
      // The current one stays as it is.
      if (!again || call.version === contents.length) return tree;
      return put({ ...node, contents: [...contents, again] });
    }
    case 'delete':
      return put({ ...node, deleted_by: by });
    case 'restore': {
      const { deleted_by: _, ...restored } = node;
      return put({ ...restored, name: normal(call.name ?? node.name) });
    }
    case 'purge':
      return put({ ...node, is_purged: true });
    default:
      return put({ ...node, owner: call.user });
  }
}

/** A cog with all live below it, current contents only: what a copy is made of. */
export type Snapshot = { node: Node; children: Snapshot[] };

export function snapshot(tree: Tree, id: number): Snapshot {
  const node = tree.get(id);
  if (!node) throw new Error(`There is no ${id}.`);
  const { contents, ...rest } = node;
  const current = contents && { contents: contents.slice(-1) };
  const children = liveChildren(tree, id).map((child) => snapshot(tree, child.id));
  return { node: { ...rest, ...current }, children };
}

/**
 * The tree with a copy in it. What is below the copy has negative ids, until the real ones are known
 * (`withIds`).
 */
export function placed(
  tree: Tree,
  { node, children }: Snapshot,
  { by, to, name, made }: { by: number; to: number; name?: string; made: number },
): Tree {
  const copy = { ...node, id: made, parent: to, owner: by, name: normal(name ?? node.name) };
  let next: Tree = new Map(tree).set(made, copy);
  for (const child of children) {
    const id = Math.min(0, ...next.keys()) - 1;
    next = placed(next, child, { by, to: made, made: id });
  }
  return next;
}

/** What a listing of everything shows: per cog its path, and for files the current content. */
export function pathsOf(tree: Tree, folder: number, prefix = ''): Map<string, Node> {
  const paths = new Map<string, Node>();
  for (const child of liveChildren(tree, folder)) {
    const path = `${prefix}/${child.name}`;
    paths.set(path, child);
    for (const entry of pathsOf(tree, child.id, path)) paths.set(...entry);
  }
  return paths;
}

/** The tree with these ids in place of others. */
export function withIds(tree: Tree, ids: ReadonlyMap<number, number>): Tree {
  const idOf = (id: number) => ids.get(id) ?? id;
  return new Map(
    [...tree.values()].map(({ id, parent, ...node }) => [
      idOf(id),
      { ...node, id: idOf(id), ...(parent === undefined ? {} : { parent: idOf(parent) }) },
    ]),
  );
}
