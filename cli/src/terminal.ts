/**
 * The output of a command. The result goes to stdout, as text or JSON. Progress goes to stderr:
 * redrawn in place on a terminal, otherwise as plain lines. So the result can be piped while
 * progress is still visible.
 */
import { once } from 'node:events';
import { stripVTControlCharacters, styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

export type Screen = {
  /** Whether a block can be redrawn. */
  isLive: boolean;
  paint: Paint;
  /** Prints a permanent line. */
  note(line: string): void;
  /** Replaces the block at the end of the screen; does nothing without a terminal. */
  draw(lines: string[]): void;
  /**
   * Runs a piece of work under a title.
   *
   * @param work receives a function that shows its progress; it returns its value, and words for
   *   it.
   */
  step<T>(title: string, work: (say: (text: string) => void) => Promise<Done<T>>): Promise<T>;
  /** Calls `redraw` repeatedly until disposed; only once without a terminal. */
  animate(redraw: () => void): Disposable;
  /** Leaves the block as it is and restores the cursor. */
  close(): void;
};

export type Done<T> = { words: string; value: T };

/** Prints the result of a command: the value as JSON, or the lines. */
export type Answer = (isJson: boolean, value: unknown, lines: (paint: Paint) => string[]) => void;

/** The same for a long list, printed page by page; as JSON it is one array. */
export type AnswerPages = <Row>(
  isJson: boolean,
  pages: AsyncIterable<Row[]> | Iterable<Row[]>,
  lines: (rows: Row[], paint: Paint) => string[],
) => Promise<void>;

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** The current frame of a spinner. */
export const spinner = () => frames[Math.floor(Date.now() / 90) % frames.length] ?? '';

const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';

export function openAnswer(out: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Answer {
  const paint = paintFor(out, env);
  return (isJson, value, lines) => {
    const text = isJson ? JSON.stringify(value, null, 2) : lines(paint).map(harmless).join('\n');
    if (text !== '') out.write(`${text}\n`);
  };
}

export function openPages(out: NodeJS.WriteStream, env: NodeJS.ProcessEnv): AnswerPages {
  const paint = paintFor(out, env);
  const print = async (text: string) => {
    if (text !== '' && !out.write(text)) await once(out, 'drain');
  };
  return async (isJson, pages, lines) => {
    let isFirst = true;
    for await (const rows of pages) {
      if (rows.length === 0) continue;
      if (isJson) await print(`${isFirst ? '[' : ','}\n${rows.map(jsonInArray).join(',\n')}`);
      else await print(`${lines(rows, paint).map(harmless).join('\n')}\n`);
      isFirst = false;
    }
    if (isJson) await print(isFirst ? '[]\n' : '\n]\n');
  };
}

/** As `JSON.stringify` writes it inside an array; strings in JSON have no line breaks. */
const jsonInArray = (row: unknown) => JSON.stringify(row, null, 2).replace(/^/gm, '  ');

export function openScreen(out: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Screen {
  const isLive = canRedraw(out, env);
  const paint = paintFor(out, env);
  let height = 0;

  const note = (line: string) => {
    const home = height > 0 ? `\x1b[${height}A\x1b[0J` : '';
    out.write(`${home}${harmless(line)}\n`);
    height = 0;
  };
  const draw = (lines: string[]) => {
    if (!isLive) return;
    // A line that wraps would take two rows, and a block taller than the screen cannot be redrawn.
    const fitting = lines
      .slice(0, Math.max(1, (out.rows || 24) - 1))
      .map((line) => cut(harmless(line), (out.columns || 80) - 1));
    // Overwritten rather than erased first, which would flicker.
    const home = height > 0 ? `\x1b[${height}A` : '';
    out.write(`${hideCursor}${home}${fitting.map((line) => `${line}\x1b[K\n`).join('')}\x1b[0J`);
    height = fitting.length;
  };
  const animate = (redraw: () => void) => {
    redraw();
    const timer = isLive ? setInterval(redraw, 90) : undefined;
    return { [Symbol.dispose]: () => clearInterval(timer) };
  };
  const step: Screen['step'] = async (title, work) => {
    let latest = '';
    const say = (text: string) => {
      latest = text;
    };
    using _ = animate(() => draw([`${paint('cyan', spinner())} ${title}  ${latest}`]));
    try {
      const { words, value } = await work(say);
      note(`${paint('green', '✓')} ${title}  ${paint('dim', words)}`);
      return value;
    } catch (error) {
      note(`${paint('red', '✗')} ${title}`);
      throw error;
    }
  };
  const close = () => {
    height = 0;
    if (isLive) out.write(showCursor);
  };
  return { isLive, paint, note, draw, step, animate, close };
}

const canRedraw = (out: NodeJS.WriteStream, env: NodeJS.ProcessEnv) =>
  out.isTTY === true && env.TERM !== 'dumb';

function paintFor(out: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Paint {
  const hasColour = canRedraw(out, env) && !env.NO_COLOR;
  return (style, text) => (hasColour ? styleText(style, text, { validateStream: false }) : text);
}

/** Control characters, with the rest of a colour, and characters that reorder text. */
const steering = /\p{Cc}(\[\d{1,2}m)?|[\p{Bidi_Control}\u2028\u2029]/gu;

/** Names and messages come from others: what would steer the terminal is shown as a mark. */
const harmless = (line: string) =>
  line.replace(steering, (found, colour: string | undefined) => {
    const isOurs = found === '\n' || (colour !== undefined && found.startsWith('\x1b'));
    return isOurs ? found : `\ufffd${found.slice(1)}`;
  });

/** Cuts a line to `width` visible characters; a line that is too long loses its colours. */
function cut(line: string, width: number): string {
  const plain = stripVTControlCharacters(line);
  return plain.length <= width ? line : `${plain.slice(0, width - 1)}…`;
}
