/** The last test of each draft, which this browser remembers between visits. */

export type KeptTest = {
  versionId: number;
  runId: number;
  until: string;
  /** What the draft did when it was tested. */
  logicHash: string;
  cogIds: readonly number[];
  /** Whether values of variables were given, which are not kept. */
  hasValues: boolean;
};

/** Others may sign in in the same browser: a test is of who made it. */
const keyOf = (userId: number) => `cogworks.tests.${userId}`;
/** Of the drafts that were tested last. */
const mostKept = 20;

export const keptTest = (userId: number, versionId: number): KeptTest | undefined =>
  keptTests(userId).find((one) => one.versionId === versionId);

export function keepTest(userId: number, test: KeptTest): void {
  const others = keptTests(userId).filter(({ versionId }) => versionId !== test.versionId);
  try {
    localStorage.setItem(keyOf(userId), JSON.stringify([test, ...others].slice(0, mostKept)));
  } catch {
    // Without storage the next visit begins without results.
  }
}

function keptTests(userId: number): KeptTest[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(userId)) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isTest) : [];
  } catch {
    return [];
  }
}

function isTest(one: unknown): one is KeptTest {
  const { versionId, runId, cogIds } = (one ?? {}) as Partial<KeptTest>;
  return Number.isSafeInteger(versionId) && Number.isSafeInteger(runId) && Array.isArray(cogIds);
}
