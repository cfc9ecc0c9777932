/** What migration 0210 says that graphs do which were there before, or are written by older servers. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { logicText } from '@cogworks/graph/hash';
import type { Graph } from '@cogworks/graph/types';
import fc from 'fast-check';
import { graphs } from '../../../../graph/test/any-graph.ts';
import { databaseBefore, type TestDatabase } from '../../../test/database.ts';
import { until } from '../../../test/until.ts';
import type { Db } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';

const empty: Graph = { nodes: [], edges: [], inputs: [], variables: [] };
const withParams = (params: Record<string, unknown>): Graph => ({
  ...empty,
  nodes: [{ key: 'a', node_definition_id: 1, title: 'A', position: { x: 0.5, y: -1 }, params }],
});

const numbers = [
  ...[0, -0, 1, -1, 10, 100, 0.1, -0.5, 120.25, 1e15, 1e16, 123456789012345680, 1e20, 1e21, 1.5e21],
  ...[1e-5, 1e-6, 1.5e-6, 1e-7, 1.25e-7, 5e-324, 1.7976931348623157e308, 4.35, 0.000001234],
  ...[5e22, 7e22, 1e23, 2e23, 2 ** 70, 2 ** -70],
  ...[2 ** 53, 2 ** 53 - 1, -(2 ** 31), 1 / 3, 100000.00000000001, 9007199254740993e3],
];

const examples: Graph[] = [
  empty,
  { ...empty, notes: [] },
  withParams({ numbers }),
  withParams({
    '😀': 1,
    ﬁ: 2,
    ö: 3,
    '1': 4,
    '\uE000': 5,
    '\u{10FFFF}': 6,
    '': 7,
    a: 8,
    A: 9,
    aa: 0,
  }),
  withParams({ '\u{10000}b': 1, '\u{10000}': 2, '\uFFFF': 3, '\uD7FF': 4, 'x\u{10FFFF}\uE000': 5 }),
  withParams({
    text: '\u0001\b\t\n\f\r\u001f"\\/\u007f\u2028é🙂',
    title: 1,
    position: {},
    notes: [],
  }),
  withParams(JSON.parse('{"__proto__": {"constructor": null}, "deep": [[{"b": [], "a": {}}]]}')),
];

const hashOf = (graph: Graph) => createHash('sha256').update(logicText(graph)).digest('hex');

/** As versions and templates. */
const addGraphs = (db: TestDatabase['db'], graphs: readonly Graph[]) =>
  db.transaction(async (tx) => {
    // Without what these rows refer to, which does not matter here.
    await tx`set local session_replication_role = replica`;
    await tx`
      insert into workflow_versions
        (tenant_id, workflow_id, version_number, state, graph, graph_hash, created_by)
      select 1, 1, at, (array['draft', 'published', 'archived'])[1 + at % 3], graph::jsonb, '', 1
      from unnest(${graphs.map((graph) => JSON.stringify(graph))}::text[])
        with ordinality as given (graph, at)
    `;
    await tx`
      insert into workflow_templates (tenant_id, name, description, category, graph, graph_hash)
      select 1, version_number::text, '', '', graph, '' from workflow_versions
    `;
  });

/** Other tables that the statement which waits for the versions has locked before. */
const lockedBefore = (db: Db) => db<{ others: number }[]>`
  select (
    select count(*) from pg_locks as held
    where held.pid = waiting.pid and held.granted and held.mode = 'AccessExclusiveLock'
      and held.locktype = 'relation'
  ) as others
  from pg_locks as waiting
  where waiting.relation = 'workflow_versions'::regclass and not waiting.granted
`;

describe('the migration that says what graphs do', () => {
  let database: TestDatabase;
  const all = [...examples, ...fc.sample(graphs, { numRuns: 300, seed: 20261123 })];

  before(async () => {
    database = await databaseBefore('0210');
    const { db } = database;
    await addGraphs(db, all);
    await migrate(db);
  });
  after(() => database.drop());

  const hashes = async (ofVersions: boolean) => {
    const { db } = database;
    const rows = ofVersions
      ? await db<{ logic_hash: string }[]>`
          select logic_hash from workflow_versions order by version_number
        `
      : await db<{ logic_hash: string }[]>`
          select logic_hash from workflow_templates order by name::int
        `;
    return rows.map(({ logic_hash }) => logic_hash);
  };

  it('gives every version and template the hash that a server would give it', async () => {
    const expected = all.map(hashOf);
    for (const ofVersions of [true, false]) {
      const found = await hashes(ofVersions);
      const wrong = all.filter((_, at) => found[at] !== expected[at]);
      assert.deepEqual(wrong, []);
      assert.equal(found.length, all.length);
    }
  });

  it('keeps the hash right when a server of the release before writes a draft', async () => {
    const { db } = database;
    const write = async (graph: Graph, logic_hash?: string) => {
      const text = JSON.stringify(graph);
      const [row] = await db<{ logic_hash: string }[]>`
        update workflow_versions
        set graph = ${text}::text::jsonb, graph_hash = ${text},
            logic_hash = coalesce(${logic_hash ?? null}, logic_hash)
        where version_number = 3
        returning logic_hash
      `;
      return row?.logic_hash;
    };
    const changed = withParams({ width: 1 });
    assert.equal(await write(changed), hashOf(changed));
    const { nodes } = changed;
    const moved = { ...changed, nodes: nodes.map((node) => ({ ...node, title: 'B' })), notes: [] };
    assert.equal(await write(moved), hashOf(changed));
    assert.equal(await write(empty, 'given'), 'given');
  });

  it('locks the versions once it has their hashes, and hashes again what changed until then', async () => {
    const { db, drop } = await databaseBefore('0210');
    const changed = withParams({ width: 1 });
    await addGraphs(db, [empty, empty, empty]);
    const { migrated, others } = await db.transaction(async (tx) => {
      await tx`
        update workflow_versions
        set graph = ${JSON.stringify(changed)}::text::jsonb, graph_hash = 'changed'
        where version_number = 3
      `;
      const migrated = migrate(db);
      const [waiting] = await until('it waits for the draft', async () => {
        const rows = await lockedBefore(tx);
        return rows.length > 0 && rows;
      });
      // Not awaited here: it waits for this transaction.
      return { migrated: { ended: migrated }, others: waiting?.others };
    });
    await migrated.ended;
    const rows = await db<{ logic_hash: string }[]>`
      select logic_hash from workflow_versions order by version_number
    `;
    await drop();

    assert.notEqual(others, 0, 'the hashes are in a table of their own');
    assert.deepEqual(
      rows.map(({ logic_hash }) => logic_hash),
      [empty, empty, changed].map(hashOf),
    );
  });
});
