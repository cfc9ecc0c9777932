/** The format of an invitation's token: `inv_` + secret + `_` + checksum. */
import { checksumOf, hashOfSecret, randomBase62, secretLength } from '../../keys/secret-text.ts';

const form = /^(inv_([0-9A-Za-z]{43}))_([0-9A-Za-z]{6})$/;

export function makeToken(): { text: string; hash: Buffer } {
  const secret = randomBase62(secretLength);
  const body = `inv_${secret}`;
  return { text: `${body}_${checksumOf(body)}`, hash: hashOfSecret(secret) };
}

/** The hash that finds it; undefined if it is malformed or mistyped. */
export function hashOfToken(text: string): Buffer | undefined {
  const [, body, secret, sum] = form.exec(text.trim()) ?? [];
  return body && secret && checksumOf(body) === sum ? hashOfSecret(secret) : undefined;
}
