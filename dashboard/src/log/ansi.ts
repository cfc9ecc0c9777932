/**
 * A line as a program wrote it for a terminal, as spans of text with styles. Nothing of it is ever
 * HTML, a link or an action; what cannot be seen, but changes what is seen, is spelled out. Pure.
 */

export type Style = {
  /** 0…15 of the palette, or a colour as `rgb(…)`. */
  fg?: number | string;
  bg?: number | string;
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  inverse?: true;
  strike?: true;
  /** Stands for a character that cannot be seen. */
  mark?: true;
};
export type Span = { text: string; style: Style };

const esc = '\u001b';
/** Sequences of ECMA-48: with parameters, strings such as links and titles, and short ones. */
const sequences = new RegExp(
  [
    `(?:${esc}\\[|\u009b)([0-?]*)[ -/]*([@-~])`,
    `(?:${esc}[\\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u009c${esc}]*(?:\u0007|\u009c|${esc}\\\\)?`,
    `${esc}[ -/]*[0-~]`,
    esc,
  ].join('|'),
  'g',
);
/** Controls, marks of direction, and separators that are no line ends here. */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** The same and line ends within a line: whether there is anything else than text. */
const special =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;

/** Whether lines are the text that they show. */
export const isPlain = (lines: string): boolean => !special.test(lines);

export function spansOf(line: string): Span[] {
  const text = shownPart(line);
  const spans: Span[] = [];
  let style: Style = {};
  let from = 0;
  for (const found of text.matchAll(sequences)) {
    addText(spans, text.slice(from, found.index), style);
    if (found[2] === 'm') style = withCodes(style, found[1] ?? '');
    from = found.index + found[0].length;
  }
  addText(spans, text.slice(from), style);
  return spans;
}

/** The text without styles, as it is looked for and copied. */
export const plainText = (line: string): string =>
  shownPart(line).replace(sequences, '').replace(unseen, '');

/** Of a line that was written over, what was written last; overstruck characters once. */
function shownPart(line: string): string {
  const end = withoutLastReturns(line);
  const last = end.slice(end.lastIndexOf('\r') + 1);
  return last.includes('\b') ? last.replace(/[^\b][\b]/g, '') : last;
}

/** Not by an expression, which takes the square of the length of a run of them that does not end the line. */
export function withoutLastReturns(line: string): string {
  let end = line.length;
  while (line[end - 1] === '\r') end -= 1;
  return line.slice(0, end);
}

function addText(spans: Span[], text: string, style: Style): void {
  let from = 0;
  for (const { 0: character, index } of text.matchAll(unseen)) {
    if (index > from) spans.push({ text: text.slice(from, index), style });
    spans.push({ text: spelled(character), style: { ...style, mark: true } });
    from = index + character.length;
  }
  if (from < text.length) spans.push({ text: text.slice(from), style });
}

function spelled(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '\u2421';
  return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
}

const flags: Record<number, Partial<Style>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
};
const off: Record<number, (keyof Style)[]> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  27: ['inverse'],
  29: ['strike'],
  39: ['fg'],
  49: ['bg'],
};

function withCodes(before: Style, parameters: string): Style {
  const codes = parameters.split(/[;:]/).map(Number);
  let style = before;
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, used] = extended(codes.slice(at + 1));
      if (colour !== undefined) style = { ...style, [code === 38 ? 'fg' : 'bg']: colour };
      at += used;
    } else style = withCode(style, code);
  }
  return style;
}

function withCode(style: Style, code: number): Style {
  if (code === 0) return {};
  if (flags[code]) return { ...style, ...flags[code] };
  if (off[code]) {
    return Object.fromEntries(
      Object.entries(style).filter(([name]) => !off[code]?.includes(name as keyof Style)),
    );
  }
  if (code >= 30 && code <= 37) return { ...style, fg: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, fg: code - 82 };
  if (code >= 40 && code <= 47) return { ...style, bg: code - 40 };
  if (code >= 100 && code <= 107) return { ...style, bg: code - 92 };
  return style;
}

/** A colour by its number or its parts. @returns it, and how many codes it took. */
function extended([kind, ...rest]: number[]): [number | string | undefined, number] {
  if (kind === 5) return [byNumber(rest[0] ?? 0), 2];
  if (kind !== 2) return [undefined, 1];
  const parts = rest.slice(0, 3).map((part) => Math.min(255, Math.max(0, Math.trunc(part) || 0)));
  return [parts.length === 3 ? `rgb(${parts.join(' ')})` : undefined, 4];
}

/** Of the 256 colours: the palette, a cube of six steps, and greys. */
function byNumber(number: number): number | string | undefined {
  if (!(number >= 0 && number <= 255)) return undefined;
  if (number < 16) return number;
  if (number >= 232) {
    const grey = 8 + (number - 232) * 10;
    return `rgb(${grey} ${grey} ${grey})`;
  }
  const step = (part: number) => (part === 0 ? 0 : 55 + part * 40);
  const cube = number - 16;
  return `rgb(${step(Math.floor(cube / 36))} ${step(Math.floor(cube / 6) % 6)} ${step(cube % 6)})`;
}
