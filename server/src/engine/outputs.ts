/** Outputs of node runs: checked against what was uploaded and declared, and published as cogs. */
import mime from 'mime';
import type { Db } from '../db/connection.ts';
import { DomainError } from '../errors.ts';
import { objectGoesLive } from '../objects/objects.ts';
import { addResult } from '../resources/cogs/files.ts';
import { checkedName } from '../resources/cogs/names.ts';
import { findUploads } from './attempt-queries.ts';
import { outputFolder } from './output-folder.ts';
import type { PlannedNode } from './plan.ts';
import { findOutputsOf } from './queries.ts';
import type { AttemptRow, NodeRunRow, RunHead } from './records.ts';
import { addOutputs, addResultFiles } from './result-queries.ts';

/** One output file as the worker reports it: which upload is which port's, in order. */
export type ReportedOutput = {
  port: string;
  name: string;
  renamed_from?: string | undefined;
  object_id: number;
  size_bytes: number;
  checksum_sha256: string;
};

export type OutputProblem = {
  error_class: 'output_missing' | 'output_invalid' | 'output_upload';
  error_message: string;
};

/**
 * Makes the reported files the node run's outputs, and cogs of those of a leaf. Nothing is taken
 * on trust: each must be this attempt's own upload, whole, and fit the declaration.
 *
 * @returns why not, when they are not as declared; then nothing was written.
 */
export async function acceptOutputs(
  tx: Db,
  run: RunHead,
  node: PlannedNode,
  nodeRun: NodeRunRow,
  attempt: AttemptRow,
  reported: ReportedOutput[],
): Promise<OutputProblem | undefined> {
  const problem =
    (await uploadProblem(tx, attempt, reported)) ?? declarationProblem(node, reported);
  if (problem) return problem;

  for (const { object_id } of reported) await objectGoesLive(tx, run.tenant_id, object_id);
  const positions = new Map<string, number>();
  const rows = reported.map((output) => {
    const position = positions.get(output.port) ?? 0;
    positions.set(output.port, position + 1);
    const declared = node.definition.outputs.find((port) => port.name === output.port);
    const media_type =
      declared?.media_type ?? mime.getType(output.name) ?? 'application/octet-stream';
    return { ...output, position, media_type };
  });
  await addOutputs(tx, run.tenant_id, run.id, nodeRun.id, rows);
  if (node.leaf) await publishResults(tx, run, node.key, [nodeRun.id]);
  return undefined;
}

async function uploadProblem(
  tx: Db,
  attempt: AttemptRow,
  reported: ReportedOutput[],
): Promise<OutputProblem | undefined> {
  const uploads = new Map(
    (await findUploads(tx, attempt.tenant_id, attempt.id)).map((upload) => [
      upload.object_id,
      upload,
    ]),
  );
  for (const output of reported) {
    const upload = uploads.get(output.object_id);
    const whole =
      upload?.state === 'pending' &&
      upload.size_bytes === output.size_bytes &&
      upload.checksum_sha256 === output.checksum_sha256;
    // One upload is one output: the second use of it finds nothing.
    uploads.delete(output.object_id);
    if (!whole) {
      return {
        error_class: 'output_upload',
        error_message: `The output ${output.name} did not arrive whole.`,
      };
    }
  }
  return undefined;
}

function declarationProblem(
  node: PlannedNode,
  reported: ReportedOutput[],
): OutputProblem | undefined {
  const declared = new Map(node.definition.outputs.map((port) => [port.name, port]));
  const unknown = reported.find((output) => !declared.has(output.port));
  if (unknown) {
    return {
      error_class: 'output_invalid',
      error_message: `There is no output named ${unknown.port}.`,
    };
  }
  const unnameable = reported.find(({ name }) => !isName(name));
  if (unnameable) {
    return {
      error_class: 'output_invalid',
      error_message: `No file can be called ${JSON.stringify(unnameable.name)}.`,
    };
  }
  for (const { name, glob, cardinality } of declared.values()) {
    const count = reported.filter((output) => output.port === name).length;
    if (cardinality === 'one' && count === 0) {
      return {
        error_class: 'output_missing',
        error_message: `The output ${name} is missing: nothing matches ${glob}.`,
      };
    }
    if (cardinality !== 'many' && count > 1) {
      return {
        error_class: 'output_invalid',
        error_message: `The output ${name} is one file, but ${count} match ${glob}.`,
      };
    }
  }
  return undefined;
}

function isName(name: string): boolean {
  try {
    return checkedName(name) !== '';
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
}

/** Makes cogs of the outputs of a leaf's node runs, in the run's folder, owned by its starter. */
export async function publishResults(
  tx: Db,
  run: RunHead,
  key: string,
  nodeRunIds: number[],
): Promise<void> {
  const outputs = await findOutputsOf(tx, run.tenant_id, nodeRunIds);
  if (outputs.length === 0) return;
  let folder = await outputFolder(tx, run);
  const files = [];
  for (const output of outputs) {
    const [cog, into] = await publishResult(tx, run, output, folder);
    folder = into;
    files.push({ ...output, cog_id: cog.id, name: cog.name });
  }
  await addResultFiles(tx, run.tenant_id, run.id, key, files);
}

/** One cog, and the folder it is in: another one when somebody deletes ours at the same moment. */
async function publishResult(
  tx: Db,
  run: RunHead,
  output: { name: string; object_id: number; media_type: string },
  folderId: number,
  tries = 3,
): Promise<[{ id: number; name: string }, number]> {
  const file = {
    tenant_id: run.tenant_id,
    parent_id: folderId,
    name: output.name,
    owner_id: run.started_by,
    object_id: output.object_id,
    mime_type: output.media_type,
  };
  try {
    return [await addResult(tx, file), folderId];
  } catch (error) {
    const isGone = error instanceof DomainError && error.problem === 'not_found';
    if (!isGone || tries <= 1) throw error;
    return publishResult(tx, run, output, await outputFolder(tx, run), tries - 1);
  }
}
