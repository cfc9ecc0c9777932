/** What differs between a failure and the last success of the same step, in words. Pure. */
import { t } from '@lingui/core/macro';
import { formatSize } from '../../../ui/format.ts';

/** Of a step in a run. */
export type Circumstances = {
  version_number: number;
  variables: Record<string, unknown>;
  node_definition_id: number | undefined;
  image: string | undefined;
  worker_id: number | undefined;
};

/** The file beside those that the same step did. */
export type FileFacts = {
  name: string;
  size_bytes: number | undefined;
  /** Sizes of files whose lanes had no failure. */
  others: readonly number[];
};

export function differences(
  now: Circumstances,
  before: Circumstances | undefined,
  file: FileFacts | undefined,
): string[] {
  return [...(file ? ofFile(file) : []), ...(before ? sinceThen(now, before) : [])];
}

function sinceThen(now: Circumstances, before: Circumstances): string[] {
  const found: string[] = [];
  if (now.version_number !== before.version_number)
    found.push(
      t`This is version ${now.version_number}; that was version ${before.version_number}.`,
    );
  if (now.image !== before.image && now.image && before.image)
    found.push(t`The image is ${now.image}; it was ${before.image}.`);
  else if (now.node_definition_id !== before.node_definition_id && before.node_definition_id)
    found.push(t`The step uses another definition than then.`);
  const names = new Set([...Object.keys(now.variables), ...Object.keys(before.variables)]);
  for (const name of names) {
    const [is, was] = [shown(now.variables[name]), shown(before.variables[name])];
    if (is !== was) found.push(isAndWas(name, is, was));
  }
  if (now.worker_id !== before.worker_id && now.worker_id && before.worker_id)
    found.push(t`It ran on worker #${now.worker_id}; then on #${before.worker_id}.`);
  return found;
}

function isAndWas(name: string, is: string | undefined, was: string | undefined): string {
  if (is === undefined) return t`${name} is not given; it was ${was ?? ''}.`;
  if (was === undefined) return t`${name} is ${is}; it was not given.`;
  return t`${name} is ${is}; it was ${was}.`;
}

const shown = (value: unknown): string | undefined => {
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? `“${value}”` : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
};

function ofFile({ name, size_bytes, others }: FileFacts): string[] {
  const found: string[] = [];
  if (size_bytes === 0) found.push(t`The file is empty.`);
  const sorted = others.toSorted((a, b) => a - b);
  const [smallest, largest] = [sorted[0], sorted.at(-1)];
  if (size_bytes && smallest !== undefined && largest !== undefined && others.length > 1) {
    if (size_bytes > largest * 2)
      found.push(
        t`The file is larger than any that worked: ${formatSize(size_bytes)}, at most ${formatSize(largest)}.`,
      );
    if (size_bytes * 2 < smallest)
      found.push(
        t`The file is smaller than any that worked: ${formatSize(size_bytes)}, at least ${formatSize(smallest)}.`,
      );
  }
  if (!/\.[^.]{1,8}$/.test(name)) found.push(t`The name of the file has no ending.`);
  return found;
}
