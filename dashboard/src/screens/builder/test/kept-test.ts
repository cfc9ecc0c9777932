/** The last test of a draft, which this browser remembers between visits. */

export type KeptTest = {
  runId: number;
  until: string;
  /** What the draft did when it was tested. */
  logicHash: string;
  cogIds: readonly number[];
  /** Whether values of variables were given, which are not kept. */
  hasValues: boolean;
};

const keyOf = (versionId: number) => `cogworks.test.${versionId}`;

export function keptTest(versionId: number): KeptTest | undefined {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(versionId)) ?? 'null') as KeptTest | null;
    return Number.isSafeInteger(kept?.runId) && Array.isArray(kept?.cogIds) ? kept : undefined;
  } catch {
    return undefined;
  }
}

export function keepTest(versionId: number, test: KeptTest): void {
  try {
    localStorage.setItem(keyOf(versionId), JSON.stringify(test));
  } catch {
    // Without storage the next visit begins without results.
  }
}
