/**
 * What a comparison says, in words. Pure. A step may give other bytes each time by itself, so a
 * file is never called wrong.
 */
import { plural, t } from '@lingui/core/macro';
import { formatSize } from '../../ui/format.ts';
import { type Comparison, compareRuns, type EndedRun, type Failure, type Row } from './compare.ts';

/** The most important first. */
function verdict({ rows, failures, begins }: Comparison, version: number): string[] {
  const steps = (kind: Failure['kind']) =>
    new Set(failures.filter((one) => one.kind === kind).map(({ node_key }) => node_key)).size;
  const [failing, both, mended] = [steps('new'), steps('both'), steps('mended')];
  return [
    failing > 0 &&
      plural(failing, {
        one: `# step fails that did not fail in version ${version}.`,
        other: `# steps fail that did not fail in version ${version}.`,
      }),
    ...filesInWords(rows),
    begins !== undefined && t`The first step that gives something else is ${begins}.`,
    both > 0 && plural(both, { one: '# step fails in both.', other: '# steps fail in both.' }),
    mended > 0 &&
      plural(mended, { one: '# step no longer fails.', other: '# steps no longer fail.' }),
  ].filter((sentence) => sentence !== false);
}

function filesInWords(rows: readonly Row[]): string[] {
  const count = (kind: Row['kind']) => rows.filter((row) => row.kind === kind).length;
  const [differing, gone, added, same] = [
    count('differs'),
    count('only_before'),
    count('only_now'),
    count('same'),
  ];
  if (rows.length === 0) return [t`Neither run made a result.`];
  const all = rows.length;
  if (same === all) {
    return [
      plural(same, {
        one: 'The only file is the same in both.',
        other: 'All # files are the same in both.',
      }),
    ];
  }
  if (differing === all && all === 1) return [t`The only file differs.`];
  return [
    differing > 0 &&
      plural(differing, { one: `# of ${all} files differs.`, other: `# of ${all} files differ.` }),
    gone > 0 &&
      plural(gone, { one: '# file is no longer made.', other: '# files are no longer made.' }),
    added > 0 && plural(added, { one: '# file is new.', other: '# files are new.' }),
    differing === 0 &&
      same > 0 &&
      plural(same, {
        one: 'The other file is the same in both.',
        other: 'The other # files are the same in both.',
      }),
  ].filter((sentence) => sentence !== false);
}

/** What differs of one file. */
export function difference({ kind, before, now }: Row): string {
  if (kind === 'only_before') return t`no longer made`;
  if (kind === 'only_now') return t`new`;
  if (kind === 'same' || !before || !now) return t`the same`;
  if (before.checksum_sha256 === now.checksum_sha256) return t`has another name`;
  const [was, is] = [formatSize(before.size_bytes), formatSize(now.size_bytes)];
  return was === is ? t`differs, ${is} in both` : t`differs, ${was} → ${is}`;
}

export function failureWords({ kind, step, lane, reason }: Failure): string {
  const place = lane === undefined ? step : t`${step}, ${lane}`;
  const why = reason ?? t`it ended with an error`;
  if (kind === 'new') return t`${place} fails: ${why}`;
  if (kind === 'both') return t`${place} fails in both: ${why}`;
  return t`${place} no longer fails; before: ${why}`;
}

/**
 * What came out, as soon as that is certain.
 *
 * @param version the number of the version that is published now.
 */
export function outcomeOf(
  before: EndedRun | undefined,
  now: EndedRun | undefined,
  version: number,
): { words: string[]; comparison?: Comparison } | undefined {
  if (before?.status === 'cancelled') {
    return {
      words: [t`The run of version ${version} was cancelled, so there is nothing to compare.`],
    };
  }
  if (now?.status === 'cancelled')
    return { words: [t`The run of this draft was cancelled, so there is nothing to compare.`] };
  if (!before || !now) return undefined;
  const comparison = compareRuns(before, now);
  return { words: verdict(comparison, version), comparison };
}
