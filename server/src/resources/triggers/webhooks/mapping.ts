/** What a run gets from a message, by the mapping of its trigger. */

import { valueAt } from '@cogworks/sdk/json-pointers';
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import {
  type DomainError,
  type FieldFault,
  unprocessable,
  unprocessableFor,
} from '../../../errors.ts';
import { unstorable } from '../../../storable.ts';
import { reach } from '../../permissions/access.ts';
import type { WebhookRow } from '../queries.ts';
import type { Mapping } from '../schema.ts';
import type { Inputs } from '../starting.ts';

/** A message may name as many cogs as a trigger. */
const mostCogs = 1000;

/**
 * The inputs of the run for a message. Values are taken as they are, never converted.
 *
 * @param caller the user of the trigger.
 * @throws DomainError 422 naming pointers, one and the same for all cogs that cannot be named.
 */
export async function mappedInputs(
  db: Db,
  caller: Caller,
  { mapping, cog_ids, extra_variables, folder_id }: WebhookRow,
  document: unknown,
): Promise<Inputs> {
  const found = Object.entries(mapping.extra_variables ?? {}).flatMap(([name, pointer]) => {
    const value = valueAt(document, pointer);
    return value === undefined ? [] : [[name, value] as const];
  });
  requireStorable(found, mapping);
  const inputs = { cog_ids, extra_variables: { ...extra_variables, ...Object.fromEntries(found) } };
  if (mapping.cog_ids === undefined) return inputs;
  const named = namedCogs(valueAt(document, mapping.cog_ids), mapping.cog_ids);
  const reached = await reach(db, caller, named, folder_id);
  const isEach = reached.filter(({ access }) => access).length === named.length;
  if (!isEach || folder_id === undefined) {
    const msg = "Must be ids of files and folders in the trigger's folder.";
    throw unprocessable({ loc: ['body', mapping.cog_ids], msg, type: 'not_in_folder' });
  }
  return { ...inputs, cog_ids: [...new Set([...cog_ids, ...named])] };
}

/** Values of no variable are never stored. */
function requireStorable(
  found: readonly (readonly [string, unknown])[],
  { extra_variables = {} }: Mapping,
): void {
  const faults = found.flatMap(([name, value]) =>
    unstorable(value).map(
      ({ trail, message }): FieldFault => ({
        loc: ['body', String(extra_variables[name]), ...trail],
        msg: `It ${message}.`,
        type: 'unstorable',
      }),
    ),
  );
  if (faults.length > 0) throw unprocessableFor(faults);
}

function namedCogs(value: unknown, pointer: string): number[] {
  const ids = Array.isArray(value) ? value : [value];
  const areIds = ids.every((id) => Number.isSafeInteger(id) && id > 0);
  if (areIds && ids.length > 0 && ids.length <= mostCogs) return [...new Set(ids)];
  const msg = `Must be the id of a file or folder, or a list of at most ${mostCogs} of them.`;
  throw unprocessable({ loc: ['body', pointer], msg, type: 'cog_ids' });
}

/** Says of faults of variables where in the message the values are. */
export function withPointers(error: DomainError, { mapping }: WebhookRow): DomainError {
  const { fields, more_faults } = error;
  if (!fields) return error;
  const moved = fields.map((field): FieldFault => {
    const [, part, name] = field.loc;
    const pointer = part === 'extra_variables' && mapping.extra_variables?.[String(name)];
    return typeof pointer === 'string' ? { ...field, loc: ['body', pointer] } : field;
  });
  return unprocessableFor(moved, more_faults);
}
