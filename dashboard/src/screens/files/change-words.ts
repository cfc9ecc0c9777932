/** What was done with files and folders, and what could not be, as sentences. Pure. */
import { plural, t } from '@lingui/core/macro';

type Named = { name: string };

/** One is told by its name. */
const nameOfOne = (cogs: readonly Named[]): string | undefined =>
  cogs.length === 1 ? cogs[0]?.name : undefined;

export function movedWords(cogs: readonly Named[], folder: string): string {
  const name = nameOfOne(cogs);
  if (name !== undefined) return t`“${name}” moved to “${folder}”.`;
  return plural(cogs.length, {
    one: `# item moved to “${folder}”.`,
    other: `# items moved to “${folder}”.`,
  });
}

export function copiedWords(cogs: readonly Named[], folder: string): string {
  const name = nameOfOne(cogs);
  if (name !== undefined) return t`“${name}” copied to “${folder}”.`;
  return plural(cogs.length, {
    one: `# item copied to “${folder}”.`,
    other: `# items copied to “${folder}”.`,
  });
}

export function deletedWords(cogs: readonly Named[]): string {
  const name = nameOfOne(cogs);
  if (name !== undefined) return t`“${name}” moved to the trash.`;
  return plural(cogs.length, {
    one: '# item moved to the trash.',
    other: '# items moved to the trash.',
  });
}

/** As a title. */
export function notMovedWords(cogs: readonly Named[]): string {
  const name = nameOfOne(cogs);
  if (name !== undefined) return t`“${name}” could not be moved`;
  return plural(cogs.length, {
    one: '# item could not be moved',
    other: '# items could not be moved',
  });
}

/** As a title. */
export function notRestoredWords(cogs: readonly Named[]): string {
  const name = nameOfOne(cogs);
  if (name !== undefined) return t`“${name}” could not be restored`;
  return plural(cogs.length, {
    one: '# item could not be restored',
    other: '# items could not be restored',
  });
}

/** Of several, how many of them something could not be done with. */
export type Undone = (count: number) => string;

export const undone = {
  moved: (count) =>
    plural(count, { one: '# item could not be moved.', other: '# items could not be moved.' }),
  movedBack: (count) =>
    plural(count, {
      one: '# item could not be moved back.',
      other: '# items could not be moved back.',
    }),
  copied: (count) =>
    plural(count, { one: '# item could not be copied.', other: '# items could not be copied.' }),
  removedAgain: (count) =>
    plural(count, {
      one: '# item could not be removed again.',
      other: '# items could not be removed again.',
    }),
  deleted: (count) =>
    plural(count, { one: '# item could not be deleted.', other: '# items could not be deleted.' }),
  restored: (count) =>
    plural(count, {
      one: '# item could not be restored.',
      other: '# items could not be restored.',
    }),
  deletedForEver: (count) =>
    plural(count, {
      one: '# item could not be deleted for ever.',
      other: '# items could not be deleted for ever.',
    }),
} satisfies Record<string, Undone>;
