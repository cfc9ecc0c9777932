/** What of the analytics is shown, as the URL has it; invalid values are ignored. */

export const reportNames = [
  'overview',
  'runs',
  'nodes',
  'workers',
  'users',
  'storage',
  'credits',
] as const;
export type ReportName = (typeof reportNames)[number];

export const presets = ['24h', '7d', '30d', '90d', '12mo'] as const;
export type Preset = (typeof presets)[number];

export const buckets = ['hour', 'day', 'week', 'month'] as const;
export type Bucket = (typeof buckets)[number];

/** Absent values are the usual ones: the overview, of 30 days, in the browser's time zone. */
export type View = {
  report?: ReportName | undefined;
  range?: Preset | undefined;
  /** The first and the last date of a range of one's own, instead of `range`. */
  from?: string | undefined;
  to?: string | undefined;
  bucket?: Bucket | undefined;
  tz?: string | undefined;
  /** One organization, for platform admins. */
  tenant?: number | undefined;
  /** Numbers in place of charts. */
  numbers?: true | undefined;
};

export function viewOf(search: Record<string, unknown>): View {
  const tenant = Number(search.tenant);
  return {
    report: oneOf(reportNames, search.report),
    range: oneOf(presets, search.range),
    from: dateOf(search.from),
    to: dateOf(search.to),
    bucket: oneOf(buckets, search.bucket),
    tz: zoneOf(search.tz),
    tenant: Number.isSafeInteger(tenant) && tenant > 0 ? tenant : undefined,
    numbers: search.numbers === true ? true : undefined,
  };
}

const oneOf = <T>(all: readonly T[], value: unknown): T | undefined =>
  all.find((one) => one === value);

function dateOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value)) return undefined;
  const at = Date.parse(value);
  return Number.isNaN(at) || !new Date(at).toISOString().startsWith(value) ? undefined : value;
}

function zoneOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone: value }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
