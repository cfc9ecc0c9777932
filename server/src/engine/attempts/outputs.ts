/**
 * The outputs of an attempt, checked against its uploads and the declarations of its node. Pure.
 */
import mime from 'mime';
import { DomainError } from '../../errors.ts';
import { checkedName } from '../../resources/cogs/places/names.ts';
import type { NewOutput } from '../kernel/changes.ts';
import type { PlannedNode } from '../kernel/plan.ts';

/** One output file as the worker reports it: the port, the upload, and their order. */
export type ReportedOutput = {
  port: string;
  name: string;
  renamed_from?: string | undefined;
  object_id: number;
  size_bytes: number;
  checksum_sha256: string;
};

/** A finished or unfinished upload of the attempt. */
export type Upload = {
  object_id: number;
  state: string;
  size_bytes?: number;
  checksum_sha256?: string;
};

export type OutputProblem = {
  error_class: 'output_missing' | 'output_invalid' | 'output_upload';
  error_message: string;
};

/**
 * Why the reported files cannot be the outputs of the node run. The report is not trusted: each
 * file must be a complete upload of this attempt, and match the declaration.
 */
export function problemOf(
  node: PlannedNode,
  uploads: readonly Upload[],
  reported: readonly ReportedOutput[],
): OutputProblem | undefined {
  return uploadProblem(uploads, reported) ?? declarationProblem(node, reported);
}

/** The reported files as rows. */
export function outputRows(
  node: PlannedNode,
  nodeRunId: number,
  reported: readonly ReportedOutput[],
): NewOutput[] {
  const positions = new Map<string, number>();
  return reported.map(({ renamed_from, ...output }) => {
    const position = positions.get(output.port) ?? 0;
    positions.set(output.port, position + 1);
    const declared = node.definition.outputs.find((port) => port.name === output.port);
    const media_type =
      declared?.media_type ?? mime.getType(output.name) ?? 'application/octet-stream';
    return {
      ...output,
      ...(renamed_from === undefined ? {} : { renamed_from }),
      node_run_id: nodeRunId,
      position,
      media_type,
    };
  });
}

function uploadProblem(
  found: readonly Upload[],
  reported: readonly ReportedOutput[],
): OutputProblem | undefined {
  const uploads = new Map(found.map((upload) => [upload.object_id, upload]));
  for (const output of reported) {
    const upload = uploads.get(output.object_id);
    const whole =
      upload?.state === 'pending' &&
      upload.size_bytes === output.size_bytes &&
      upload.checksum_sha256 === output.checksum_sha256;
    // Each upload may be used for one output only.
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
  reported: readonly ReportedOutput[],
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
