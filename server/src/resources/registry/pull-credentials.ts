/**
 * The credentials by which workers pull a tenant's images from this registry. Made with each work
 * order, and of use for two hours; they open what is below the tenant's namespace, for reading. They
 * are signed, not stored, so there is nothing to rotate or to lose.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { unauthenticated } from '../../errors.ts';
import type { Keys } from '../../keys/keys.ts';

/** Longer than a pull may take (an hour), and its order may wait. */
const validSeconds = 2 * 3600;

const begin = 'cwp_';
const shape = /^cwp_(?<tenant>[1-9]\d{0,15})_(?<end>[1-9]\d{0,11})_(?<mac>[\w-]{43})$/;

/** The credentials of a tenant's workers, as a registry secret has them. */
export function pullCredentials(
  keys: Pick<Keys, 'derive'>,
  tenantId: number,
  now = new Date(),
): { username: string; password: string } {
  const text = `${begin}${tenantId}_${Math.floor(now.getTime() / 1000) + validSeconds}`;
  return { username: 'cogworks', password: `${text}_${macOf(signingKey(keys), text)}` };
}

/**
 * @returns a function that returns the tenant of such a password, undefined for one of another form,
 *   and throws `unauthenticated` if it is wrong or its time is over.
 */
export function authenticatePullers({ keys }: { keys: Pick<Keys, 'derive'> }) {
  const key = signingKey(keys);
  return (password: string, now = new Date()): number | undefined => {
    if (!password.startsWith(begin)) return undefined;
    const { tenant, end, mac } = shape.exec(password)?.groups ?? {};
    if (tenant === undefined || mac === undefined) throw unauthenticated();
    const right = macOf(key, `${begin}${tenant}_${end}`);
    if (!timingSafeEqual(Buffer.from(mac), Buffer.from(right))) throw unauthenticated();
    if (Number(end) * 1000 <= now.getTime()) throw unauthenticated();
    return Number(tenant);
  };
}

const signingKey = (keys: Pick<Keys, 'derive'>) => keys.derive('registry-pull');

const macOf = (key: Buffer, text: string) =>
  createHmac('sha256', key).update(text).digest('base64url');
