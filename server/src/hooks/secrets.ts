/**
 * Secrets that a hook and its other side share, and their change: for an overlap the old one counts
 * as well. The slices choose the table and the key by which they are sealed.
 */
import type { Db } from '../db/connection.ts';
import { badField } from '../errors.ts';
import { addSecret, endSecrets, type SecretRows } from './queries.ts';
import { isSecret, newSecret, type Preset, usesBytes } from './signatures.ts';

/** How the secrets of one hook are stored. */
export type SecretStore = {
  rows: SecretRows;
  preset: Preset;
  seal(secret: string): Uint8Array;
};

/**
 * Stores a secret as the newest one.
 *
 * @param given as the other side has it, if it made one.
 * @returns the secret, for the only time.
 * @throws DomainError 422
 */
export async function storeSecret(
  tx: Db,
  { rows, preset, seal }: SecretStore,
  given: string | undefined,
): Promise<string> {
  if (given !== undefined) requireSecret(preset, given);
  const secret = given ?? newSecret();
  await addSecret(tx, rows, seal(secret));
  return secret;
}

/**
 * Of two, the older one is gone at once; the other counts for the overlap.
 *
 * @returns the new secret, and when the old one ends.
 * @throws DomainError 422
 */
export async function rotateSecret(
  tx: Db,
  store: SecretStore,
  given: string | undefined,
  overlap_seconds: number,
) {
  const old_secret_ends_at = await endSecrets(tx, store.rows, overlap_seconds);
  const secret = await storeSecret(tx, store, given);
  return { secret, ...(old_secret_ends_at !== undefined && { old_secret_ends_at }) };
}

/** @throws DomainError 422 */
export function requireSecret(preset: Preset, secret: string): void {
  if (isSecret(preset, secret)) return;
  throw badField(
    'secret',
    usesBytes(preset)
      ? 'Must be whsec_ and 24 to 64 bytes in base64.'
      : 'Must be 16 to 256 printable ASCII characters without spaces.',
  );
}
