/** The order in which changes of one and of many cogs wait for each other. */

import type { Db } from '../../../db/connection.ts';
import { lockTree } from '../../permissions/access.ts';

/**
 * Locks the tree for a change of these cogs. One goes together with those of others. Many go alone:
 * each of them locks several rows, and two that did so in different orders could deadlock.
 */
export const lockTreeFor = (tx: Db, tenantId: number, ids: readonly number[]) =>
  lockTree(tx, tenantId, ids.length > 1 ? 'move' : 'add');
