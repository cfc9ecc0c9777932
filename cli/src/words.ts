/** Sizes, times and tables for people. */
import { stripVTControlCharacters } from 'node:util';
import type { Paint } from './terminal.ts';

export const size = (bytes: number) => {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1e6) return `${Math.ceil(bytes / 1000)} kB`;
  const [amount, unit] = bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${amount.toFixed(amount < 10 ? 1 : 0)} ${unit}`;
};

export function duration(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** The time between two moments of the server's clock, so that no two clocks are compared. */
export const between = (from?: string, to?: string) =>
  from && to ? Math.max(0, Date.parse(to) - Date.parse(from)) : 0;

/** In the time zone of this machine: 2026-03-01 09:30. */
export function localTime(iso: string): string {
  const at = new Date(iso);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}`;
}

export const count = (amount: number, noun: string) =>
  `${amount} ${noun}${amount === 1 ? '' : 's'}`;

const barWidth = 30;

export function bar(fraction: number, paint: Paint): string {
  const filled = Math.round(Math.min(1, Math.max(0, fraction)) * barWidth);
  return paint('cyan', '━'.repeat(filled)) + paint('dim', '─'.repeat(barWidth - filled));
}

/** One line of plain text from container output, which may hold any bytes. */
export const plain = (text: string) =>
  stripVTControlCharacters(text)
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
