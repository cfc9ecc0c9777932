/** `when`: decides which node runs of a node are to run. */
import { ExpressionError, evaluate } from '@cogworks/graph/expression';
import { parseExpression } from '@cogworks/graph/expression-syntax';
import type { Domain } from '@cogworks/graph/lanes';
import { stemOf } from '@cogworks/graph/template';
import type { NodeRunRow } from '../records.ts';
import type { Asking } from './asking.ts';
import { type PlannedNode, paramsOf } from './plan.ts';
import { idOf, type LaneFile, type RunState } from './state.ts';

type Split = {
  wanted: NodeRunRow[];
  unwanted: NodeRunRow[];
  /** The condition cannot be evaluated for these values: the node run fails. */
  broken: { row: NodeRunRow; message: string }[];
};

/** Evaluates `when` for each node run. */
export function* splitByCondition(
  state: RunState,
  node: PlannedNode,
  rows: NodeRunRow[],
): Asking<Split> {
  const split: Split = { wanted: [], unwanted: [], broken: [] };
  const parsed = node.node.when === undefined ? undefined : parseExpression(node.node.when);
  if (!parsed || rows.length === 0) return { ...split, wanted: rows };
  if ('fault' in parsed) throw new Error(`Node ${node.key} has a condition that does not parse.`);

  const files = yield* filesOfLanes(
    state,
    node,
    rows.flatMap(({ shard_index }) => shard_index ?? []),
  );
  const vars = state.run.extra_variables;
  const params = paramsOf(node, vars);
  for (const row of rows) {
    const file = row.shard_index === undefined ? undefined : files.get(row.shard_index);
    try {
      const scope = { vars, params, ...(file ? { file: inWords(file) } : {}) };
      split[evaluate(parsed.ast, scope) ? 'wanted' : 'unwanted'].push(row);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      split.broken.push({ row, message: `The condition has no answer: ${error.message}` });
    }
  }
  return split;
}

/** The key of a domain's files in `laneFiles`. */
export const nameOfLanes = (domain: Domain): string =>
  domain.kind === 'input' ? `input ${domain.input}` : `output ${domain.node}.${domain.port}`;

/** The file of each lane, by lane. */
function* filesOfLanes(
  state: RunState,
  { domain }: PlannedNode,
  lanes: number[],
): Asking<ReadonlyMap<number, LaneFile>> {
  if (!domain || lanes.length === 0) return new Map();
  const name = nameOfLanes(domain);
  const known = state.laneFiles.get(name) ?? new Map<number, LaneFile>();
  state.laneFiles.set(name, known);
  if (domain.kind === 'output') {
    // Outputs reported in this decision are not stored yet.
    const source = idOf(state, state.plan.byKey.get(domain.node)?.position ?? 0, 0);
    for (const file of state.changes.outputs)
      if (file.node_run_id === source && file.port === domain.port) known.set(file.position, file);
  }
  const missing = lanes.filter((lane) => !known.has(lane));
  if (missing.length === 0) return known;
  if (domain.kind === 'input') {
    yield { of: 'input files', name, input: domain.input, lanes: missing };
  } else {
    const source = state.plan.byKey.get(domain.node) as PlannedNode;
    const id = idOf(state, source.position, 0);
    // Outputs reused in this decision are still stored under the node run they come from.
    const node_run_id = state.rows.get(id)?.reused_from_node_run_id ?? id;
    yield { of: 'output files', name, node_run_id, port: domain.port, lanes: missing };
  }
  return known;
}

const inWords = ({ name, media_type, size_bytes }: LaneFile) => ({
  name,
  stem: stemOf(name),
  media_type,
  size_bytes,
});
