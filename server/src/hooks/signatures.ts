/**
 * Signatures of webhooks, over the bytes as they are sent. Of those that come: Standard Webhooks
 * (https://www.standardwebhooks.com), and those of GitHub, GitLab, Stripe and Slack. Of those that
 * go out: Standard Webhooks. Pure, but for new secrets.
 */
import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

export type Preset = 'standard' | 'github' | 'gitlab' | 'stripe' | 'slack';
export const presets: readonly Preset[] = ['standard', 'github', 'gitlab', 'stripe', 'slack'];

export type Delivery = {
  /** Of one header; several of one name are no signature. */
  header(name: string): string | undefined;
  body: Uint8Array;
};

/** A message whose signature is right. */
export type Signed = {
  /** Equal for repetitions of one message; `undefined` where it is a field of the body. */
  message_id?: string;
};

/** How far the time of a message may be from ours, in seconds. */
const tolerance_s = 300;
/** A sender that rotates its secrets signs twice. */
const mostSignatures = 10;
/** While secrets are rotated. */
const mostSecrets = 2;

/**
 * Whether one of these secrets signed the message, lately. Whatever is wrong, it takes as long: the
 * body is digested as often, also for no secret at all.
 *
 * @param secrets as the sender has them, e.g. `whsec_…`.
 * @returns undefined for any fault: whoever has no secret learns nothing from the answer.
 */
export function checkSignature(
  preset: Preset,
  delivery: Delivery,
  secrets: readonly string[],
  now: Date,
): Signed | undefined {
  const claim = claims[preset](delivery);
  const digest = (secret: string) =>
    createHmac('sha256', claim?.isDecoded ? decoded(secret) : secret)
      .update(claim?.before ?? '')
      .update(delivery.body)
      .digest();
  const isRight = secrets
    .map(digest)
    // Each is compared with each, so that the time tells nothing.
    .flatMap((wanted) => (claim?.signatures ?? []).map((given) => isSame(wanted, given)))
    .includes(true);
  for (let count = secrets.length; count < mostSecrets; count += 1) digest('');
  if (!claim || !isRight) return undefined;
  if (claim.time !== undefined && !isLately(claim.time, now)) return undefined;
  return claim.id === undefined ? {} : { message_id: claim.id };
}

/** What the headers claim. */
type Claim = {
  /** Signed before the body. */
  before: string;
  signatures: Buffer[];
  /** Whether the key is the decoded secret, not its text. */
  isDecoded?: boolean;
  id?: string;
  /** In seconds since 1970. */
  time?: string;
};

const claims: Record<Preset, (delivery: Delivery) => Claim | undefined> = {
  standard,
  // Since 19.0 GitLab signs so.
  gitlab: standard,

  // No time, and an id that is not signed: the same body is the same message.
  github({ header, body }) {
    const signature = /^sha256=([0-9a-f]{64})$/.exec(header('x-hub-signature-256') ?? '')?.[1];
    if (signature === undefined) return undefined;
    const id = createHash('sha256').update(body).digest('hex');
    return { before: '', signatures: [Buffer.from(signature, 'hex')], id };
  },

  stripe({ header }) {
    const fields = (header('stripe-signature') ?? '').split(',').map((field) => field.split('='));
    const valuesOf = (name: string) =>
      fields.flatMap(([key, value = '']) => (key === name ? [value] : []));
    const [time, ...others] = valuesOf('t');
    const signatures = valuesOf('v1').flatMap(hexDigest);
    if (time === undefined || others.length > 0) return undefined;
    return within({ before: `${time}.`, signatures, time });
  },

  slack({ header }) {
    const time = header('x-slack-request-timestamp');
    const signature = /^v0=(.*)$/.exec(header('x-slack-signature') ?? '')?.[1];
    if (time === undefined || signature === undefined) return undefined;
    return within({ before: `v0:${time}:`, signatures: hexDigest(signature), time });
  },
};

function standard({ header }: Delivery): Claim | undefined {
  const id = header('webhook-id');
  const time = header('webhook-timestamp');
  // An id with a dot could be cut anew, so that id and body change their border.
  if (id === undefined || !/^[\w-]{1,256}$/.test(id) || time === undefined) return undefined;
  const given = header('webhook-signature')?.split(' ', mostSignatures + 1) ?? [];
  if (given.length > mostSignatures) return undefined;
  const signatures = given.flatMap((signature) => {
    const base64 = /^v1,([A-Za-z0-9+/]{43}=)$/.exec(signature)?.[1];
    return base64 === undefined ? [] : [Buffer.from(base64, 'base64')];
  });
  return within({ before: `${id}.${time}.`, signatures, isDecoded: true, id, time });
}

function within(claim: Claim): Claim | undefined {
  const count = claim.signatures.length;
  return count > 0 && count <= mostSignatures ? claim : undefined;
}

const hexDigest = (text: string) => (/^[0-9a-f]{64}$/.test(text) ? [Buffer.from(text, 'hex')] : []);

const isLately = (time: string, now: Date) =>
  /^\d{1,12}$/.test(time) &&
  Math.abs(Math.floor(now.getTime() / 1000) - Number(time)) <= tolerance_s;

const isSame = (one: Buffer, other: Buffer) =>
  one.length === other.length && timingSafeEqual(one, other);

/**
 * Headers that sign a message as Standard Webhooks.
 *
 * @param secrets while they are rotated, the old one signs as well.
 */
export function signedHeaders(
  id: string,
  at: Date,
  body: string,
  secrets: readonly string[],
): Record<string, string> {
  const time = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) => {
    const hmac = createHmac('sha256', decoded(secret)).update(`${id}.${time}.${body}`);
    return `v1,${hmac.digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': time,
    'webhook-signature': signatures.join(' '),
  };
}

const prefix = 'whsec_';

/** A secret as Standard Webhooks has them. */
export const newSecret = () => `${prefix}${randomBytes(32).toString('base64')}`;

/** The bytes of a secret of Standard Webhooks: `whsec_` and 24 to 64 bytes in base64. */
const decoded = (secret: string) => Buffer.from(secret.slice(prefix.length), 'base64');

/** Whether secrets are bytes, as Standard Webhooks has them; for others they are any text. */
export const usesBytes = (preset: Preset) => preset === 'standard' || preset === 'gitlab';

/** Whether a secret can be used. */
export function isSecret(preset: Preset, secret: string): boolean {
  if (!usesBytes(preset)) return /^[\x21-\x7e]{16,256}$/.test(secret);
  const isBase64 = /^whsec_(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
  const { length } = decoded(secret);
  return isBase64.test(secret) && length >= 24 && length <= 64;
}
