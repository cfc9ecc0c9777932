/** Why a draft could not be saved, and whether it can be later. Pure. */
import { t } from '@lingui/core/macro';

/** Not allowed, gone, or no draft any more. */
const ends: ReadonlySet<number> = new Set([403, 404, 409, 410]);

/** The version was published or archived. */
export class NoDraft extends Error {
  readonly status = 409;
  constructor(state: string) {
    super(
      state === 'archived'
        ? t`This version was archived meanwhile.`
        : t`This version was published meanwhile.`,
    );
  }
}

export const statusOf = (error: unknown) => (error as { status?: number }).status;

export const isTemporary = (error: unknown) => {
  const status = statusOf(error);
  return (
    status === undefined || status >= 500 || status === 408 || status === 429 || status === 401
  );
};

/** Whether there is no draft to save to any more. */
export const isEnd = (error: unknown): boolean => ends.has(statusOf(error) ?? 0);
