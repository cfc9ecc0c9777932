/** Formats of strings, checked so that later code may rely on them. */

export const formats = {
  'date-time': isDateTime,
  // Neither brackets nor invisible characters: no mail server takes them, and they end an address.
  email: (text: string) => /^[^\s@<>\p{C}]{1,64}@[^\s@<>\p{C}]{1,255}$/u.test(text),
  uuid: (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
  uri: (text: string) => URL.canParse(text),
  binary: true,
  byte: true,
} as const;

const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ]([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:[Zz]|[+-](?:[01]\d|2[0-3]):?[0-5]\d)$/;

const [firstInstant, lastInstant] = [Date.UTC(1900), Date.UTC(10_000) - 1];

/**
 * RFC 3339, seconds optional, on an existing day: `Date.parse` turns 30 February into 2 March. The
 * bounds keep the instant within years of four digits, whatever its offset, which every calendar
 * and database can represent.
 */
export function isDateTime(text: string): boolean {
  const [, year, month, day] = dateTime.exec(text) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return false;
  const instant = Date.parse(text);
  return instant >= firstInstant && instant <= lastInstant;
}
