/**
 * The folders of many paths at once: missing ones are created, level by level. A path that cannot
 * be created does not affect the others.
 */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { conflict } from '../../../errors.ts';
import { type Granted, type Reached, reachedBy, requireNeed } from '../../permissions/access.ts';
import { ownsWhatIsInside } from '../../permissions/rules.ts';
import { depthLimit, maxDepth } from './depth.ts';
import { addFolders, holdChildren, raiseLevels } from './folder-tree-queries.ts';
import { requireFreeName } from './outputs-root.ts';

/** A folder of the tree, and what became of it. */
type Node = {
  name: string;
  children: Map<string, Node>;
  /** The levels of folders below it. */
  levels: number;
  found?: { folder: Reached } | { error: unknown };
};

/** Folders of one call: each takes about a tenth of a millisecond, and holds up moves meanwhile. */
const mostFolders = 5000;

export type FoundFolders = {
  /** The folder of a path. @throws DomainError if there is none, and may not be. */
  at(path: readonly string[]): Reached;
};

/**
 * Finds or creates the folders of these paths below a folder that is locked, under the tree lock.
 * Each level takes two statements, in one round trip.
 *
 * @param paths checked names.
 */
export async function ensureFolders(
  tx: Db,
  caller: Caller,
  base: Granted,
  paths: readonly (readonly string[])[],
): Promise<FoundFolders> {
  const root: Node = { name: '', children: new Map(), levels: 0, found: { folder: base } };
  // Of a path that is too deep no folder is made. It may have thousands of names, too.
  const fits = (path: readonly string[]) => base.depth + path.length <= maxDepth;
  let folders = 0;
  for (const path of paths) {
    if (!fits(path) || folders + newIn(root, path) > mostFolders) continue;
    folders += newIn(root, path);
    addPath(root, path);
  }
  let level = [root];
  while (level.length > 0) level = await ensureBelow(tx, caller, level);
  if (root.children.size > 0) {
    await raiseLevels(tx, caller.tenant_id, base.id, foldersOf(root));
  }
  return {
    at: (path) => {
      if (!fits(path)) throw depthLimit();
      const node = path.reduce<Node | undefined>(childOf, root);
      if (!node) throw conflict('too_many_folders', tooMany);
      return folderOf(node);
    },
  };
}

function addPath(root: Node, path: readonly string[]): void {
  let node = root;
  for (const [at, name] of path.entries()) {
    node.levels = Math.max(node.levels, path.length - at);
    const child = childOf(node, name) ?? { name, children: new Map(), levels: 0 };
    node.children.set(name, child);
    node = child;
  }
}

const tooMany = `At most ${mostFolders} folders are looked for or made at once. Send this file again with fewer others.`;

const childOf = (node: Node | undefined, name: string) => node?.children.get(name);

/** How many folders of the path are not in the tree yet. */
function newIn(root: Node, path: readonly string[]): number {
  let node: Node | undefined = root;
  return path.filter((name) => {
    node = childOf(node, name);
    return node === undefined;
  }).length;
}

function folderOf(node: Node): Reached {
  if (!node.found) throw new Error('The folders of a level were left out.');
  if ('error' in node.found) throw node.found.error;
  return node.found.folder;
}

/** @returns the folders on the next level. */
async function ensureBelow(tx: Db, caller: Caller, parents: readonly Node[]): Promise<Node[]> {
  const wanted = parents.flatMap((parent) => {
    const { found } = parent;
    const children = [...parent.children.values()];
    if (found && 'folder' in found) {
      return children.map((node) => ({ node, parent: found.folder }));
    }
    for (const child of children) if (found) child.found = found;
    return [];
  });
  if (wanted.length > 0) {
    const missing = wanted.filter(({ node, parent }) => refusalOf(parent, node.name) === undefined);
    const rows = missing.map(({ node, parent }) => ({
      ...{ parent_id: parent.id, name: node.name, levels: node.levels },
      granted: !ownsWhatIsInside(parent.access),
    }));
    const adding = rows.length > 0 ? addFolders(tx, caller, rows).send() : undefined;
    const places = wanted.map(({ node, parent }) => ({ parent_id: parent.id, name: node.name }));
    const [children] = await Promise.all([holdChildren(tx, caller, places), adding]);
    const rowsOf = new Map(children.map((child) => [child.place, child]));
    for (const [at, { node, parent }] of wanted.entries()) {
      node.found = foundAs(caller, parent, node.name, rowsOf.get(at + 1));
    }
  }
  return parents.flatMap(({ children }) => [...children.values()]);
}

function foundAs(
  caller: Caller,
  parent: Reached,
  name: string,
  child: Awaited<ReturnType<typeof holdChildren>>[number] | undefined,
): NonNullable<Node['found']> {
  if (!child) return { error: refusalOf(parent, name) ?? notThere(name) };
  if (child.cog_type === 'file') {
    const text = `"${name}" is a file, not a folder: nothing can be put into it.`;
    return { error: conflict('name_collision', text) };
  }
  const { place: _, deciding = parent.grant, ...row } = child;
  // Access is inherited on the way down.
  const inherited = deciding === undefined ? {} : { deciding };
  return { folder: reachedBy(caller.role, { ...row, depth: parent.depth + 1, ...inherited }) };
}

/** Why nothing of that name may be created in the folder. */
function refusalOf(parent: Reached, name: string): unknown {
  try {
    requireNeed(parent, 'upload');
    requireFreeName(parent, name);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** It was deleted between the two statements. */
const notThere = (name: string) =>
  conflict('parent_deleted', `The folder "${name}" has just been deleted.`);

/** The folders that exist now, each with the levels below it. */
function foldersOf(node: Node): { id: number; levels: number; depth: number }[] {
  if (!node.found || 'error' in node.found) return [];
  const { id, depth } = node.found.folder;
  const below = [...node.children.values()].flatMap(foldersOf);
  return [{ id, levels: node.levels, depth }, ...below];
}
