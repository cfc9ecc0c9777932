/** Facts defined in graph/ that the database and the sdk have to repeat. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  attemptStatuses,
  desiredStates,
  isTerminal,
  nodeRunStatuses,
  runFileStatuses,
  runStatuses,
  skipReasons,
} from '@cogworks/graph/statuses';
import { reasonOf } from '@cogworks/sdk/reasons';
import { runStatuses as clientsStatuses } from '@cogworks/sdk/runs';
import { cloneDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
before(async () => {
  database = await cloneDatabase();
});
after(() => database.drop());

/** The values that a column's check constraint allows. */
async function allowedIn(table: string, column: string): Promise<string[]> {
  const [check] = await database.db<{ definition: string }[]>`
    select pg_get_constraintdef(pg_constraint.oid) as definition
    from pg_constraint
    join pg_attribute on attrelid = conrelid and attname = ${column}
    where conrelid = ${table}::regclass and contype = 'c' and conkey = array[attnum]
  `;
  return [...(check?.definition ?? '').matchAll(/'([^']+)'::text/g)].map(([, word = '']) => word);
}

const ends = runStatuses.filter(isTerminal).map((status) => `run.${status}`);

describe('the database allows the states of graph/ and no others', () => {
  const columns: [table: string, column: string, states: readonly string[]][] = [
    ['workflow_runs', 'status', runStatuses],
    // A pending node run has no row.
    ['begun_node_runs', 'status', nodeRunStatuses.filter((status) => status !== 'pending')],
    ['attempts', 'status', attemptStatuses],
    ['run_files', 'status', runFileStatuses],
    ['workers', 'desired_state', desiredStates],
    ['notices', 'events', ends],
    ['notice_deliveries', 'type', [...ends, 'test']],
  ];
  for (const [table, column, states] of columns) {
    it(`in ${table}.${column}`, async () => {
      assert.deepEqual((await allowedIn(table, column)).sort(), [...states].sort());
    });
  }
});

describe('the sdk', () => {
  it('lists the states of a run in the same order', () => {
    assert.deepEqual(clientsStatuses, runStatuses);
  });

  it('has words for every reason to skip a node', () => {
    for (const skip_reason of skipReasons) {
      assert.notEqual(reasonOf({ skip_reason }), 'Left out.', skip_reason);
    }
  });
});
