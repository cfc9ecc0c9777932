/**
 * Media types, and the assignment of a run's files to the inputs of its graph. Patterns are
 * `image/png`, `image/*` and anything (`*` twice); an input without patterns accepts all.
 */
import type { GraphInput } from './types.ts';

/** How many files an input can take; see `inputLimits` in lanes.ts. */
export type Limits = ReadonlyMap<string, { min: number; max: number }>;

export type AssignmentFault = {
  code: 'no_matching_input' | 'too_many_files' | 'too_few_files';
  message: string;
  /** The index of the file in the list, or the input that lacks one. */
  index?: number;
  input?: string;
};

/**
 * Gives each file to the first input that accepts its type and has room for it. The result holds,
 * for every input, the indices of its files in their order.
 */
export function assignFiles(
  inputs: readonly GraphInput[],
  files: readonly { media_type: string }[],
  limits: Limits = new Map(),
): { assigned: Map<string, number[]>; faults: AssignmentFault[] } {
  const assigned = new Map<string, number[]>(inputs.map((input) => [input.name, []]));
  const faults: AssignmentFault[] = [];
  const filesOf = (name: string) => assigned.get(name) ?? [];
  const maxOf = (name: string) => limits.get(name)?.max ?? Number.POSITIVE_INFINITY;

  files.forEach(({ media_type }, index) => {
    const fitting = inputs.filter((input) => accepts(input.media_types, media_type));
    const free = fitting.find(({ name }) => filesOf(name).length < maxOf(name));
    const full = fitting[0];
    if (free) filesOf(free.name).push(index);
    else if (full) faults.push(tooMany(full.name, maxOf(full.name), index));
    else faults.push(noMatch(media_type, index));
  });

  for (const { name } of inputs) {
    const min = limits.get(name)?.min ?? 0;
    if (filesOf(name).length < min) faults.push(tooFew(name));
  }
  return { assigned, faults };
}

const tooMany = (input: string, max: number, index: number): AssignmentFault => ({
  code: 'too_many_files',
  message: `The input "${input}" takes at most ${max === 1 ? 'one file' : `${max} files`}.`,
  index,
  input,
});

const tooFew = (input: string): AssignmentFault => ({
  code: 'too_few_files',
  message: `The input "${input}" needs a file.`,
  input,
});

const noMatch = (mediaType: string, index: number): AssignmentFault => ({
  code: 'no_matching_input',
  message: `No input of the workflow takes files of type ${mediaType}.`,
  index,
});

function accepts(patterns: readonly string[] | null | undefined, mediaType: string): boolean {
  return !patterns?.length || patterns.some((pattern) => mediaTypeMatches(pattern, mediaType));
}

/** Case and parameters (`; charset=…`) are ignored. */
export function mediaTypeMatches(pattern: string, mediaType: string): boolean {
  const [wantedType, wantedSubtype] = halves(pattern);
  const [type, subtype] = halves(mediaType);
  return (
    (wantedType === '*' || wantedType === type) &&
    (wantedSubtype === '*' || wantedSubtype === subtype)
  );
}

/** Whether some file could satisfy both sides; no patterns means anything. */
export function mediaTypesOverlap(
  sources: readonly string[] | null | undefined,
  targets: readonly string[] | null | undefined,
): boolean {
  if (!sources?.length || !targets?.length) return true;
  return sources.some((source) =>
    targets.some((target) => mediaTypeMatches(source, target) || mediaTypeMatches(target, source)),
  );
}

function halves(mediaType: string): [string, string] {
  const [name = ''] = mediaType.toLowerCase().split(';');
  const [type = '', subtype = type === '*' ? '*' : ''] = name.trim().split('/');
  return [type, subtype];
}
