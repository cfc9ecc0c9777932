/** Reports of what happened: of a tenant for its administrators, of all for those of the platform. */
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import { type FieldFault, forbidden, unprocessable } from '../../../errors.ts';
import { periodLimits } from '../../../schedules/periods.ts';
import { canonicalZone } from '../../../schedules/zones.ts';
import {
  findNames,
  foldStatistics as foldRows,
  sumBefore,
  sumByPeriod,
  type Whose,
} from './queries.ts';
import { idOf, reports } from './reports.ts';
import type { Range, Report, ReportName } from './schema.ts';

const mostPeriods = 1000;
const usual_ms = 30 * 24 * 60 * 60 * 1000;

/** @throws DomainError 403 for members and for other tenants, 422 for the range */
export async function readReport(
  db: Db,
  caller: Caller,
  name: ReportName,
  range: Range,
): Promise<Report> {
  const whose = whoseFor(caller, range.tenant_id);
  const { limits, bucket, tz } = periodsOf(range, Date.now());
  const { needs, named, lines } = reports[name];
  const [first] = limits as [Date];
  const [rows, stored_before] = await Promise.all([
    sumByPeriod(db, whose, needs, limits),
    needs.sum?.includes('stored_bytes') ? sumBefore(db, whose, 'stored_bytes', first) : 0,
  ]);
  const ids = rows.filter(({ need }) => need === 'top').map(({ key }) => +idOf(key));
  const names = named ? await findNames(db, whose, named, [...new Set(ids)]) : [];
  const found = lines({
    periods: limits.length - 1,
    rows,
    stored_before,
    names: new Map(names.map((one) => [String(one.id), one.name])),
  });
  const starts = limits.slice(0, -1).map((limit) => limit.toISOString());
  return {
    from: first.toISOString(),
    to: (limits.at(-1) as Date).toISOString(),
    bucket,
    tz,
    series: found.map(({ values, total: _, ...line }) => ({
      ...line,
      points: values.map((value, at) => ({ t: starts[at] as string, value })),
    })),
    totals: Object.fromEntries(found.map(({ key, total }) => [key, total])),
  };
}

/** Adds what was noted to the sums. @returns how many changes. */
export const foldStatistics = (db: Db, limit: number): Promise<number> => foldRows(db, limit);

function whoseFor({ tenant_id, role, is_platform_admin }: Caller, wanted: Whose): Whose {
  if (is_platform_admin) return wanted;
  if (role !== 'admin' || (wanted !== undefined && wanted !== tenant_id))
    throw forbidden('Only administrators may see this, of their own organization.');
  return tenant_id;
}

function periodsOf({ from, to, bucket = 'day', tz = 'UTC' }: Range, now: number) {
  const zone = canonicalZone(tz);
  if (zone === undefined)
    throw fault('tz', `There is no time zone "${tz}". Use a name such as Europe/Berlin.`);
  const end = to === undefined ? now : Date.parse(to);
  const begin = from === undefined ? end - usual_ms : Date.parse(from);
  if (begin > end) throw fault('from', 'The range ends before it begins.');
  if (begin < Date.UTC(2000) || end > now + 10 * 366 * 24 * 60 * 60 * 1000)
    throw fault('from', 'The range must lie between the year 2000 and ten years from now.');
  const limits = periodLimits(zone, bucket, begin, end, mostPeriods);
  if (limits.length - 1 >= mostPeriods && (limits.at(-1) as number) < end)
    throw fault('bucket', `That would be more than ${mostPeriods} points. Use a longer bucket.`);
  return { limits: limits.map((limit) => new Date(limit)), bucket, tz: zone };
}

const fault = (field: string, msg: string) =>
  unprocessable({ loc: ['query', field], msg, type: 'value_error' } satisfies FieldFault);
