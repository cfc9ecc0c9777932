/**
 * Secrets that people copy: letters and digits only, so that a double click selects all of one, and
 * with a checksum, which detects typing errors without a query and lets scanners recognize real
 * ones in leaked text. Only hashes of them are stored.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** 43 characters hold 256 bits. */
export const secretLength = 43;

/** 256 random bits cannot be guessed, so a fast hash is enough. */
export const hashOfSecret = (secret: string) => createHash('sha256').update(secret).digest();

/** Six digits for what stands before them. */
export function checksumOf(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let digit = 0; digit < 6; digit++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte; larger values would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}
