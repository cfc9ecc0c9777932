import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { slowestIn, statementsIn } from './database-log.ts';

const at = '2026-11-22 08:00:00.000 UTC [12] ';

describe('the log of the database', () => {
  it('gives each statement with its values, whatever they hold', () => {
    const log = [
      `${at}LOG:  execute s1: begin`,
      `${at}LOG:  execute <unnamed>: select *`,
      '\tfrom cogs',
      '\twhere name = $1 and id = $2 and note is not distinct from $3',
      `${at}DETAIL:  Parameters: $1 = 'it''s, $2 = NULL', $2 = '7', $3 = NULL`,
      `${at}LOG:  statement: select 1`,
      `${at}ERROR:  not a statement`,
    ].join('\n');
    assert.deepEqual(statementsIn(log), [
      { text: 'begin', values: [] },
      {
        text: 'select *\nfrom cogs\nwhere name = $1 and id = $2 and note is not distinct from $3',
        values: ["it's, $2 = NULL", '7', null],
      },
      { text: 'select 1', values: [] },
    ]);
  });

  it('tells the slowest of those that took long', () => {
    const log = [
      `${at}LOG:  duration: 120.5 ms  execute s1: select 1`,
      `${at}LOG:  duration: 1100.0 ms  execute s2: select *`,
      '\tfrom cogs',
      `${at}LOG:  duration: 200.0 ms  execute s3: select 3`,
    ].join('\n');
    assert.deepEqual(slowestIn(log), { ms: 1100, text: 'execute s2: select *\nfrom cogs' });
    assert.deepEqual(slowestIn(''), { ms: 0, text: '' });
  });
});
