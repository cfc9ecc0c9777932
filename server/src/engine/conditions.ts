/** `when`: which node runs of a node are wanted at all. */
import { ExpressionError, evaluate, parseExpression } from '@cogworks/graph/expression';
import { stemOf } from '@cogworks/graph/template';
import type { PlannedNode } from './plan.ts';
import { findInputFiles, findOutputs } from './queries.ts';
import type { NodeRunRow } from './records.ts';
import type { Settling } from './settle.ts';

/** Asks `when` of each; one that has no answer for these values is a failure of its own. */
export async function splitByCondition(settling: Settling, node: PlannedNode, rows: NodeRunRow[]) {
  const parsed = node.node.when === undefined ? undefined : parseExpression(node.node.when);
  if (!parsed || rows.length === 0) return { wanted: rows, unwanted: [], broken: [] };
  if ('fault' in parsed) throw new Error(`Node ${node.key} has a condition that does not parse.`);

  const fileOf = await lanesFiles(settling, node);
  const split = {
    wanted: [] as NodeRunRow[],
    unwanted: [] as NodeRunRow[],
    broken: [] as { row: NodeRunRow; message: string }[],
  };
  for (const row of rows) {
    const file = fileOf(row.shard_index);
    try {
      const scope = {
        vars: settling.plan.variables,
        params: node.params,
        ...(file ? { file } : {}),
      };
      split[evaluate(parsed.ast, scope) ? 'wanted' : 'unwanted'].push(row);
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      split.broken.push({ row, message: `The condition has no answer: ${error.message}` });
    }
  }
  return split;
}

/** The file that a lane is about. */
async function lanesFiles({ tx, run }: Settling, { domain }: PlannedNode) {
  if (!domain) return () => undefined;
  const files =
    domain.kind === 'input'
      ? (await findInputFiles(tx, run.tenant_id, run.id)).filter(
          (file) => file.input_name === domain.input,
        )
      : (await findOutputs(tx, run.tenant_id, run.id, [domain.node])).filter(
          (file) => file.port === domain.port,
        );
  return (shard: number | undefined) => {
    const file = shard === undefined ? undefined : files[shard];
    return (
      file && {
        name: file.name,
        stem: stemOf(file.name),
        media_type: file.media_type,
        size_bytes: file.size_bytes,
      }
    );
  };
}
