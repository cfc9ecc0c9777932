/**
 * Which addresses may be called on behalf of users who must not reach this machine's own network:
 * only those of the public internet. The worker uses it for registries and for containers' egress;
 * a server that calls users' URLs has to use it too. No dependencies, no look-ups.
 */

/** A range of addresses; IPv4 has 32 bits, IPv6 128. */
export type Range = { bits: 32 | 128; start: bigint; length: number };

/** IANA's special-purpose registries, except ranges that are routed like any other address. */
const specialV4 = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16'],
  ...['172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16'],
  ...['198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4'],
];
/** Only 2000::/3 is allocated; these are parts of it. */
const specialV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'];

export const specialRangesV4: readonly Range[] = specialV4.map(mustParse);
const specialRangesV6 = specialV6.map(mustParse);
const globalV6 = mustParse('2000::/3');
/** `::ffff:a.b.c.d` and `64:ff9b::a.b.c.d`: the last 32 bits are an IPv4 address. */
const carriersOfV4 = ['::ffff:0:0/96', '64:ff9b::/96'].map(mustParse);

export type Reach = 'public' | 'loopback' | 'internal';

/** The network an address belongs to; invalid text is treated as internal. */
export function reachOf(text: string): Reach {
  const address = parseRange(text);
  if (!address) return 'internal';
  if (address.bits === 128) {
    if (carriersOfV4.some((carrier) => contains(carrier, address))) {
      return reachOf(textV4(address.start & 0xffff_ffffn));
    }
    if (address.start === 1n) return 'loopback';
    const isPublic =
      contains(globalV6, address) && !specialRangesV6.some((range) => contains(range, address));
    return isPublic ? 'public' : 'internal';
  }
  if (contains(loopbackV4, address)) return 'loopback';
  return specialRangesV4.some((range) => contains(range, address)) ? 'internal' : 'public';
}

const loopbackV4 = mustParse('127.0.0.0/8');

/** An address or `address/length`; undefined for anything else. Brackets as in URLs are removed. */
export function parseRange(text: string): Range | undefined {
  const [address = '', prefix, ...rest] = text.replace(/^\[|\]$/g, '').split('/');
  const parsed = parseV4(address) ?? parseV6(address);
  if (!parsed || rest.length > 0) return undefined;
  if (prefix !== undefined && !/^\d{1,3}$/.test(prefix)) return undefined;
  const length = prefix === undefined ? parsed.bits : Number(prefix);
  if (length > parsed.bits) return undefined;
  const free = BigInt(parsed.bits - length);
  return { bits: parsed.bits, start: (parsed.start >> free) << free, length };
}

function mustParse(text: string): Range {
  const range = parseRange(text);
  if (!range) throw new Error(`${text} is no range of addresses.`);
  return range;
}

/**
 * Only the usual form: octal numbers and single numbers, which other programs accept, are refused.
 */
function parseV4(text: string): Range | undefined {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1);
  if (!parts?.every((part) => Number(part) <= 255 && String(Number(part)) === part)) return;
  const start = parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n);
  return { bits: 32, start, length: 32 };
}

function parseV6(text: string): Range | undefined {
  // A zone (`%eth0`) selects one of this machine's networks, so the address is internal.
  const dotted = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(text);
  const v4 = dotted?.[2] === undefined ? undefined : parseV4(dotted[2]);
  if (dotted && !v4) return undefined;
  const plain = v4
    ? `${dotted?.[1]}${(v4.start >> 16n).toString(16)}:${(v4.start & 0xffffn).toString(16)}`
    : text;
  const halves = plain.split('::');
  if (halves.length > 2) return undefined;
  const [left = [], right = []] = halves.map((half) => (half === '' ? [] : half.split(':')));
  const missing = 8 - left.length - right.length;
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  const start = groups.reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
  return { bits: 128, start, length: 128 };
}

export function contains(outer: Range, inner: Range): boolean {
  if (outer.bits !== inner.bits || outer.length > inner.length) return false;
  const free = BigInt(outer.bits - outer.length);
  return outer.start >> free === inner.start >> free;
}

/** The ranges minus others. */
export function without(ranges: readonly Range[], taken: readonly Range[]): Range[] {
  return taken.reduce<Range[]>(
    (left, one) => left.flatMap((range) => cutOut(range, one)),
    [...ranges],
  );
}

function cutOut(range: Range, taken: Range): Range[] {
  if (contains(taken, range)) return [];
  if (!contains(range, taken)) return [range];
  const length = range.length + 1;
  const half = 1n << BigInt(range.bits - length);
  return [range.start, range.start + half].flatMap((start) =>
    cutOut({ bits: range.bits, start, length }, taken),
  );
}

const textV4 = (start: bigint): string =>
  [24n, 16n, 8n, 0n].map((shift) => (start >> shift) & 0xffn).join('.');

/** `10.0.0.0/8`; only for IPv4. */
export const rangeText = ({ start, length }: Range): string => `${textV4(start)}/${length}`;
