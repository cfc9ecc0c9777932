/**
 * Our access tokens: JWTs by RFC 9068 (`at+jwt`), signed with ES256, valid for an hour. They
 * identify the caller but carry no rights: user, key, session and rights are checked on every
 * request, so a revoked key, a disabled user or a sign-out takes effect at once.
 */
import { randomUUID } from 'node:crypto';
import {
  type CryptoKey,
  createLocalJWKSet,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTVerifyGetKey,
  jwtVerify,
  SignJWT,
} from 'jose';
import type { Db } from '../../db/connection.ts';
import { unauthenticated } from '../../errors.ts';
import type { Keys } from '../../keys/keys.ts';
import type { Services } from '../../services.ts';
import { addSigningKey, findSigningKeys, type SigningKeyRow, type TokenGround } from './queries.ts';

export const audience = 'cogworks';
export const accessTokenSeconds = 3600;
const algorithm = 'ES256';

/** The claims of a verified token. Times are seconds since 1970. */
export type TokenClaims = {
  issuer: string;
  subject: string;
  /** Our user id; only in tokens of our own issuer. */
  user_id?: number;
  expires_at: number;
} & TokenGround;

export type Tokens = {
  /** The issuer of tokens of the embedded provider and of exchanged API keys. */
  issuer(): string;
  /** Private signing keys as JWKs, newest first, for the embedded provider. */
  privateJwks: JWK[];
  /** @returns a JWT for one user, optionally bound to the exchanged API key. */
  issue(claims: { user_id: number; subject: string; key_id?: number }): Promise<string>;
  /** @throws DomainError `unauthenticated` unless signature, algorithm, issuer, audience, type and time are right. */
  verify(token: string): Promise<TokenClaims>;
};

/** Opens the installation's signing keys; the first start creates one. */
export async function openTokens({ db, keys, baseUrl }: Services): Promise<Tokens> {
  const rows = await ensureSigningKeys(db, keys);
  const publicKeys = createLocalJWKSet({ keys: rows.map((row) => row.public_jwk as JWK) });
  const privateJwks = rows.map(
    (row) => JSON.parse(keys.open(row.sealed_private, `signing_keys|${row.kid}`).toString()) as JWK,
  );
  const newest = privateJwks[0] as JWK;
  const signer = (await importJWK(newest, algorithm)) as CryptoKey;
  const issuer = () => `${baseUrl()}/realms/cogworks`;

  return {
    issuer,
    privateJwks,
    issue: ({ user_id, subject, key_id }) =>
      new SignJWT({ uid: user_id, scope: 'api', ...(key_id === undefined ? {} : { key_id }) })
        .setProtectedHeader({ alg: algorithm, typ: 'at+jwt', kid: newest.kid as string })
        .setIssuer(issuer())
        .setAudience(audience)
        .setSubject(subject)
        .setJti(randomUUID())
        .setIssuedAt()
        .setExpirationTime(`${accessTokenSeconds}s`)
        .sign(signer),
    verify: (token) => verifyToken(token, publicKeys, issuer()),
  };
}

/**
 * Of servers that start together one creates the key: with two keys, each server would refuse the
 * other's tokens.
 */
async function ensureSigningKeys(db: Db, keys: Keys): Promise<SigningKeyRow[]> {
  const present = await findSigningKeys(db);
  if (present.length > 0) return present;
  const { publicKey, privateKey } = await generateKeyPair(algorithm, { extractable: true });
  const kid = randomUUID();
  const common = { kid, alg: algorithm, use: 'sig' };
  const publicJwk = { ...(await exportJWK(publicKey)), ...common };
  const privateJwk = JSON.stringify({ ...(await exportJWK(privateKey)), ...common });
  await addSigningKey(db, kid, publicJwk, keys.seal(privateJwk, `signing_keys|${kid}`));
  return findSigningKeys(db);
}

async function verifyToken(
  token: string,
  key: JWTVerifyGetKey,
  issuer: string,
): Promise<TokenClaims> {
  const { payload } = await jwtVerify(token, key, {
    algorithms: [algorithm],
    issuer,
    audience,
    typ: 'at+jwt',
    requiredClaims: ['sub', 'exp', 'uid'],
  }).catch((cause: unknown) => {
    throw unauthenticated(cause);
  });
  const { uid, key_id, sid, gid } = payload as Record<string, unknown>;
  if (!Number.isSafeInteger(uid)) throw unauthenticated();
  return {
    issuer,
    subject: payload.sub as string,
    user_id: uid as number,
    ...(Number.isSafeInteger(key_id) ? { key_id: key_id as number } : {}),
    ...(typeof sid === 'string' ? { session_uid: sid } : {}),
    ...(typeof gid === 'string' ? { grant_hash: Buffer.from(gid, 'base64url') } : {}),
    expires_at: payload.exp as number,
  };
}
