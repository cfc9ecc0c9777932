/** The program's exit codes, for scripts. */
import type { WorkflowRun } from '@cogworks/sdk/contract.gen';

export const exitCodes = { ok: 0, failed: 1, usage: 2, partial: 3, interrupted: 130 } as const;

/** The exit code for a run that has ended. */
export function codeOf(status: WorkflowRun['status']): number {
  if (status === 'success') return exitCodes.ok;
  return status === 'partial_success' ? exitCodes.partial : exitCodes.failed;
}
