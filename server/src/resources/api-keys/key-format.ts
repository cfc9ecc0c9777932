/**
 * The format of an API key: `sk_` + public id + `_` + secret + `_` + checksum. The public id finds
 * the row and the secret proves the key.
 */
import { checksumOf, hashOfSecret, randomBase62, secretLength } from '../../keys/secret-text.ts';

const form = /^(sk_([0-9A-Za-z]{8})_([0-9A-Za-z]{43}))_([0-9A-Za-z]{6})$/;

export type NewKey = { text: string; public_id: string; secret_hash: Buffer };

export function makeKey(): NewKey {
  const public_id = randomBase62(8);
  const secret = randomBase62(secretLength);
  const body = `sk_${public_id}_${secret}`;
  return { text: `${body}_${checksumOf(body)}`, public_id, secret_hash: hashOfSecret(secret) };
}

/** The parts of a key; undefined if it is malformed or mistyped. */
export function readKey(text: string): { public_id: string; secret_hash: Buffer } | undefined {
  const [, body, public_id, secret, sum] = form.exec(text) ?? [];
  if (!body || !public_id || !secret || checksumOf(body) !== sum) return undefined;
  return { public_id, secret_hash: hashOfSecret(secret) };
}

/** The part of a key that lists may show. */
export const prefixOf = (publicId: string) => `sk_${publicId}`;
