/** How statements are planned, for tests of large tables. */
import pg from 'pg';
import { type ConnectTo, configOf } from '../src/db/connection.ts';

type Node = {
  'Relation Name'?: string;
  'CTE Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  Plans?: Node[];
};

/** How these statements read a table, or a list that `with` names, planned for any values, or for these. */
export async function readsOf(
  table: string,
  to: ConnectTo,
  texts: readonly string[],
  values?: readonly unknown[],
): Promise<Node[]> {
  const planner = new pg.Client(configOf(to));
  await planner.connect();
  const reads: Node[] = [];
  const collect = (node: Node) => {
    if (table === (node['Relation Name'] ?? node['CTE Name'])) reads.push(node);
    node.Plans?.forEach(collect);
  };
  try {
    for (const text of texts) {
      const how = values ? 'format json' : 'generic_plan, format json';
      const { rows } = await planner.query(`explain (${how}) ${text}`, values && [...values]);
      collect(rows[0]['QUERY PLAN'][0].Plan);
    }
  } finally {
    await planner.end();
  }
  return reads;
}
