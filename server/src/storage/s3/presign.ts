/**
 * Signs URLs of S3 requests (Signature Version 4, in the query:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html). An order of work
 * has a URL for each file, and signing one takes 15 µs here; with the SDK's presigner 170 µs.
 */
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

export type Credentials = {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
};

export type SignedRequest = {
  method: 'GET' | 'PUT';
  /** Of the object, without a query. Its path must not need escaping. */
  url: URL;
  query: Record<string, string>;
  /** Lower case names; whoever uses the URL must send exactly these. */
  headers: Record<string, string>;
};

/** S3 refuses longer ones. */
const longest_seconds = 7 * 24 * 3600;

/** @returns a function that signs requests to a region, remembering the key of the day. */
export function presigner(region: string) {
  let known: { of: string; key: KeyObject } | undefined;

  /** A key object: with a buffer, each signature takes four times as long. */
  function keyOf(secret: string, day: string): KeyObject {
    const of = `${day}/${secret}`;
    if (known?.of !== of) {
      const steps = [day, region, 's3', 'aws4_request'];
      const key = steps.reduce<Buffer>(hmac, Buffer.from(`AWS4${secret}`));
      known = { of, key: createSecretKey(key) };
    }
    return known.key;
  }

  return (
    { method, url, query, headers }: SignedRequest,
    { accessKeyId, secretAccessKey, sessionToken }: Credentials,
    expires_in: number,
    now: Date,
  ): string => {
    const time = now.toISOString().replace(/[-:]|\.\d+/g, '');
    const day = time.slice(0, 8);
    const scope = `${day}/${region}/s3/aws4_request`;
    const signed = Object.entries({ ...headers, host: url.host }).sort(byName);
    const names = signed.map(([name]) => name).join(';');
    const parameters = {
      ...query,
      'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
      'X-Amz-Credential': `${accessKeyId}/${scope}`,
      'X-Amz-Date': time,
      'X-Amz-Expires': String(Math.min(expires_in, longest_seconds)),
      ...(sessionToken && { 'X-Amz-Security-Token': sessionToken }),
      'X-Amz-SignedHeaders': names,
    };
    const text = Object.entries(parameters)
      .map(([name, value]) => [escaped(name), escaped(value)] as [string, string])
      .sort(byName)
      .map((pair) => pair.join('='))
      .join('&');
    const request = [
      method,
      url.pathname,
      text,
      ...signed.map(([name, value]) => `${name}:${value}`),
      '',
      names,
      'UNSIGNED-PAYLOAD',
    ].join('\n');
    const digest = hash('sha256', request, 'hex');
    const signature = createHmac('sha256', keyOf(secretAccessKey, day))
      .update(`AWS4-HMAC-SHA256\n${time}\n${scope}\n${digest}`)
      .digest('hex');
    return `${url.href}?${text}&X-Amz-Signature=${signature}`;
  };
}

const hmac = (key: Buffer, text: string) => createHmac('sha256', key).update(text).digest();

const byName = ([a]: [string, string], [b]: [string, string]) => (a < b ? -1 : a > b ? 1 : 0);

/** Everything but unreserved characters, which encodeURIComponent does not quite do. */
const escaped = (text: string) =>
  encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
