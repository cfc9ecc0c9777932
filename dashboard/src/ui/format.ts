/** Sizes, times and counts in words. Pure; the current time is an argument. */
import { t } from '@lingui/core/macro';
import { locale } from './language.ts';

const withDigits = (digits: number) =>
  new Intl.NumberFormat(locale, {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
    useGrouping: false,
  });
const whole = withDigits(0);
const tenths = withDigits(1);

const units = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];

/** Powers of 1000, as in most file managers; three digits are enough to compare. */
export function formatSize(size_bytes: number): string {
  let value = size_bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? whole : tenths;
  return `${digits.format(value)} ${units[unit]}`;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

/** Relative for recent times, otherwise the date. */
export function formatWhen(iso: string, now: Date): string {
  const date = new Date(iso);
  const seconds = Math.round((now.getTime() - date.getTime()) / 1000);
  if (seconds < 0) return formatDate(date, now);
  if (seconds < 45) return t`just now`;
  if (seconds < hour) return t`${Math.max(1, Math.round(seconds / minute))} min ago`;
  if (seconds < day) return t`${Math.floor(seconds / hour)} h ago`;
  if (seconds < 7 * day) return t`${Math.floor(seconds / day)} d ago`;
  return formatDate(date, now);
}

/** How long until a time to come, or its date and time. */
export function formatComing(iso: string, now: Date): string {
  const date = new Date(iso);
  const seconds = Math.round((date.getTime() - now.getTime()) / 1000);
  if (seconds < minute) return t`in a moment`;
  if (seconds < hour) return t`in ${Math.floor(seconds / minute)} min`;
  if (seconds < day) return t`in ${Math.floor(seconds / hour)} h`;
  return `${formatDate(date, now)}, ${formatTime(iso)}`;
}

function formatDate(date: Date, now: Date) {
  return date.toLocaleDateString(locale, {
    day: 'numeric',
    month: 'short',
    ...(date.getFullYear() === now.getFullYear() ? {} : { year: 'numeric' }),
  });
}

/** A day as the heading of what happened on it. */
export function formatDay(iso: string, now: Date): string {
  const date = new Date(iso);
  const isOn = (day: Date) => day.toDateString() === date.toDateString();
  if (isOn(now)) return t`Today`;
  const yesterday = new Date(now);
  yesterday.setDate(now.getDate() - 1);
  if (isOn(yesterday)) return t`Yesterday`;
  const isThisYear = date.getFullYear() === now.getFullYear();
  return date.toLocaleDateString(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
}

/** The time of a day. */
export const formatTime = (iso: string): string =>
  new Date(iso).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' });

/** Date and time to the minute, in the reader's time zone. */
export const formatMinute = (iso: string): string =>
  new Date(iso).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' });

/** The exact time in the reader's time zone, for tooltips. */
export const formatExactly = (iso: string): string =>
  new Date(iso).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'medium' });

export function formatDuration(duration_ms: number): string {
  const whole_ms = Math.max(0, Math.round(duration_ms));
  if (whole_ms === 0) return t`0 s`;
  if (whole_ms < 1000) return t`${whole_ms} ms`;
  const seconds = duration_ms / 1000;
  if (seconds < 10) return t`${tenths.format(seconds)} s`;
  const rounded = Math.round(seconds);
  if (rounded < minute) return t`${rounded} s`;
  const minutes = Math.floor((rounded % hour) / minute);
  if (rounded < hour) return t`${minutes} min ${rounded % minute} s`;
  return t`${Math.floor(rounded / hour)} h ${minutes} min`;
}

/** From its start until its end or now; undefined before the start. */
export function durationOf(
  {
    started_at,
    finished_at,
  }: { started_at?: string | undefined; finished_at?: string | undefined },
  now: Date,
): string | undefined {
  if (started_at === undefined) return undefined;
  const end = finished_at === undefined ? now.getTime() : Date.parse(finished_at);
  return formatDuration(end - Date.parse(started_at));
}

const counts = new Intl.NumberFormat(locale);

/** A count with separators of thousands. Ids and version numbers are names, and have none. */
export const formatCount = (count: number): string => counts.format(count);
