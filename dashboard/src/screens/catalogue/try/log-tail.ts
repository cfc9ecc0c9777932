/** The end of a log: a try shows no more of it, however long it gets. Pure. */
import { visibleText } from '../../../ui/visible-text.ts';

export type LogTail = { bytes: number; tail: Uint8Array };

export const noLog: LogTail = { bytes: 0, tail: new Uint8Array() };
const most_bytes = 64 * 1024;

export function withPiece({ bytes, tail }: LogTail, piece: Uint8Array): LogTail {
  const all = new Uint8Array(tail.length + piece.length);
  all.set(tail);
  all.set(piece, tail.length);
  return { bytes: bytes + piece.length, tail: all.slice(-most_bytes) };
}

/** With what was written since, if that is what the answer has. */
export async function withAnswer(before: LogTail, answer: Response): Promise<LogTail> {
  let now = before;
  const reader = answer.body?.getReader();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    now = withPiece(now, part.value);
  return now;
}

/** Whether lines before it are left out. */
export const isCut = ({ bytes, tail }: LogTail): boolean => bytes > tail.length;

export function textOf(log: LogTail): string {
  const text = plainText(new TextDecoder().decode(log.tail));
  return isCut(log) ? text.slice(text.indexOf('\n') + 1) : text;
}

/**
 * A program's text without the codes for a terminal, which mean nothing here; what cannot be seen,
 * but turns what is seen, is spelled.
 */
export const plainText = (log: string): string =>
  log
    .replace(codes, '')
    .split('\n')
    .map((line) => shownPart(line).split('\t').map(visibleText).join('\t'))
    .join('\n');

const codes =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is removed
  /\u001B(\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(\u0007|\u001B\\)?|.)/g;

/** Of a line that was written over what was written last. */
const shownPart = (line: string): string =>
  line
    .split('\r')
    .filter((part) => part !== '')
    .at(-1) ?? '';
