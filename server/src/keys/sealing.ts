/** Encrypts values that must not be readable in the database. */
import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const version = 1;

/**
 * AES-256-GCM (NIST SP 800-38D) with a random 96-bit nonce. `context` is authenticated but not
 * stored: a value moved to another row or tenant cannot be opened there.
 */
export function seal(key: Buffer | KeyObject, plain: Buffer | string, context: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const text = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), text]);
}

/** @throws Error if the key or the context is wrong, or the value was changed. */
export function open(key: Buffer | KeyObject, sealed: Uint8Array, context: string): Buffer {
  const bytes = Buffer.from(sealed);
  if (bytes[0] !== version || bytes.length < 29) throw new Error('Not a sealed value.');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(1, 13));
  decipher.setAAD(Buffer.from(context)).setAuthTag(bytes.subarray(13, 29));
  return Buffer.concat([decipher.update(bytes.subarray(29)), decipher.final()]);
}

/** Whether this key sealed the value. */
export function fits(key: Buffer, sealed: Uint8Array, context: string): boolean {
  try {
    open(key, sealed, context);
    return true;
  } catch {
    return false;
  }
}
