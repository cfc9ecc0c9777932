/**
 * What the demo says and how: steps that spin while they work, and a block that is redrawn in
 * place. Where nobody watches (a pipe, a log) the same story comes as plain lines.
 */
import { stripVTControlCharacters, styleText } from 'node:util';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';

export type Paint = (style: Style, text: string) => string;

export type Terminal = {
  /** Whether a block can be redrawn. */
  isLive: boolean;
  paint: Paint;
  say(line?: string): void;
  /**
   * Does a piece of work under a title.
   *
   * @param work is given a way to say where it is, for who watches; it answers what came of it.
   */
  step<T>(title: string, work: (note: (text: string) => void) => Promise<Done<T>>): Promise<T>;
  /** Replaces the block at the end of the screen; nothing where nobody watches. */
  draw(lines: string[]): void;
  /** Leaves the block as it stands and gives the cursor back. */
  close(): void;
};

export type Done<T> = { words: string; value: T };

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];

/** The picture of a spinner at this moment. */
export const spinner = () => frames[Math.floor(Date.now() / 90) % frames.length] ?? '';

const hideCursor = '\x1b[?25l';
const showCursor = '\x1b[?25h';
const titleWidth = 12;

export function openTerminal(out: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Terminal {
  const isLive = out.isTTY === true && env.TERM !== 'dumb';
  const hasColour = isLive && !env.NO_COLOR;
  const paint: Paint = (style, text) =>
    hasColour ? styleText(style, text, { validateStream: false }) : text;
  let height = 0;

  const erase = () => {
    if (height > 0) out.write(`\x1b[${height}A\x1b[0J`);
    height = 0;
  };
  const say = (line = '') => {
    erase();
    out.write(`${line}\n`);
  };
  const draw = (lines: string[]) => {
    if (!isLive) return;
    // A line that wraps would take two rows, and the next redraw would miss one.
    const fitting = lines.map((line) => cut(line, (out.columns || 80) - 1));
    // Written over, not erased first: that would flicker.
    const home = height > 0 ? `\x1b[${height}A` : '';
    out.write(`${hideCursor}${home}${fitting.map((line) => `${line}\x1b[K\n`).join('')}\x1b[0J`);
    height = lines.length;
  };
  const close = () => {
    height = 0;
    if (isLive) out.write(showCursor);
  };

  const step = async <T>(
    title: string,
    work: (note: (text: string) => void) => Promise<Done<T>>,
  ): Promise<T> => {
    const name = title.padEnd(titleWidth);
    let latest = '';
    const note = (text: string) => {
      latest = text;
    };
    const redraw = () => draw([`  ${paint('cyan', spinner())} ${name} ${paint('dim', latest)}`]);
    redraw();
    const timer = isLive ? setInterval(redraw, 90) : undefined;
    try {
      const { words, value } = await work(note);
      say(`  ${paint('green', '✓')} ${name} ${words}`);
      return value;
    } catch (error) {
      say(`  ${paint('red', '✗')} ${name}`);
      throw error;
    } finally {
      clearInterval(timer);
    }
  };
  return { isLive, paint, say, step, draw, close };
}

/** At most `width` visible characters; a line too long loses its colours, which is better than its end. */
function cut(line: string, width: number): string {
  const plain = stripVTControlCharacters(line);
  return plain.length <= width ? line : `${plain.slice(0, width - 1)}…`;
}

export const seconds = (ms: number, digits = 1) => `${(ms / 1000).toFixed(digits)} s`;

export const size = (bytes: number) =>
  bytes < 1e6
    ? `${Math.ceil(bytes / 1000)} kB`
    : `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`;
