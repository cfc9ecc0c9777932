/**
 * The format of an API key: `sk_` + public id + `_` + secret + `_` + checksum. The public id finds
 * the row, the secret proves the key, and the checksum detects typing errors (and lets scanners
 * recognize real keys in leaked text) without a query.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const form = /^(sk_([0-9A-Za-z]{8})_([0-9A-Za-z]{43}))_([0-9A-Za-z]{6})$/;

export type NewKey = { text: string; public_id: string; secret_hash: Buffer };

export function makeKey(): NewKey {
  const public_id = randomBase62(8);
  // 43 characters hold 256 bits.
  const secret = randomBase62(43);
  const body = `sk_${public_id}_${secret}`;
  return { text: `${body}_${checksum(body)}`, public_id, secret_hash: hashOf(secret) };
}

/** The parts of a key; undefined if it is malformed or mistyped. */
export function readKey(text: string): { public_id: string; secret_hash: Buffer } | undefined {
  const [, body, public_id, secret, sum] = form.exec(text) ?? [];
  if (!body || !public_id || !secret || checksum(body) !== sum) return undefined;
  return { public_id, secret_hash: hashOf(secret) };
}

/** The part of a key that lists may show. */
export const prefixOf = (publicId: string) => `sk_${publicId}`;

/** 256 random bits cannot be guessed, so a fast hash is enough. */
const hashOf = (secret: string) => createHash('sha256').update(secret).digest();

function checksum(body: string) {
  let rest = crc32(body);
  let text = '';
  for (let digit = 0; digit < 6; digit++) {
    text = alphabet[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}

function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      // 248 is the largest multiple of 62 in a byte; larger values would favour the first letters.
      if (byte < 248 && text.length < length) text += alphabet[byte % 62];
    }
  }
  return text;
}
