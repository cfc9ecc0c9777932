/**
 * A log as its bytes and where its lines begin: as large as the bytes, and four for each line. Lines
 * are decoded when they are shown. Pure; log-worker.ts keeps it off the page's thread.
 */
import { isPlain, plainText, withoutLastReturns } from './ansi.ts';

const newline = 10;
/** Of a line that is shown; what follows is folded. */
export const mostOfLine = 10_000;
/** A line that was written over many times may be longer than that before its last state. */
const mostLookedBack = 64_000;
/** Lines that are decoded together. */
const portion = 4096;

/** Words that begin what went wrong, in most languages and tools. */
const error = /\b(error|fatal|panic|exception|traceback|segfault|failed|failure|cannot|denied)\b/i;
const noError = /\b(0|no) (errors?|failures?|failed)\b/i;

export type LogState = {
  bytes: number;
  lines: number;
  /** In characters, at most those that are shown. */
  longest: number;
  /** From 0. */
  firstError: number | undefined;
};

/** A line with what of it is folded, in bytes. */
export type LogLine = { text: string; folded: number };

export class LogLines {
  readonly #pieces: Uint8Array[] = [];
  readonly #pieceStarts: number[] = [];
  #starts = new Float64Array(1024);
  #count = 0;
  #bytes = 0;
  #longest = 0;
  #looked = 0;
  #firstError: number | undefined;
  readonly #decoder = new TextDecoder();

  get state(): LogState {
    const lines = this.count;
    return { bytes: this.#bytes, lines, longest: this.#longest, firstError: this.#firstError };
  }

  /** Without the empty line after the last newline. */
  get count(): number {
    const isEmpty = this.#count > 0 && this.#starts[this.#count - 1] === this.#bytes;
    return isEmpty ? this.#count - 1 : this.#count;
  }

  append(piece: Uint8Array): LogState {
    if (piece.length === 0) return this.state;
    if (this.#count === 0) this.#begin(0);
    this.#pieces.push(piece);
    this.#pieceStarts.push(this.#bytes);
    for (let at = piece.indexOf(newline); at >= 0; at = piece.indexOf(newline, at + 1)) {
      this.#begin(this.#bytes + at + 1);
    }
    this.#bytes += piece.length;
    this.#look();
    return this.state;
  }

  #begin(start: number): void {
    if (this.#count === this.#starts.length) {
      const larger = new Float64Array(this.#count * 2);
      larger.set(this.#starts);
      this.#starts = larger;
    }
    const length = start - (this.#starts[this.#count - 1] ?? 0) - 1;
    this.#longest = Math.max(this.#longest, Math.min(length, mostOfLine));
    this.#starts[this.#count] = start;
    this.#count += 1;
  }

  /** For the first error, in lines that are complete. */
  #look(): void {
    const complete = this.#count - 1;
    for (; this.#firstError === undefined && this.#looked < complete; this.#looked += portion) {
      const to = Math.min(complete, this.#looked + portion);
      const at = this.#texts(this.#looked, to).findIndex(
        (text) => error.test(text) && !noError.test(text),
      );
      if (at >= 0) this.#firstError = this.#looked + at;
      if (to === complete) {
        this.#looked = complete;
        return;
      }
    }
  }

  /** Lines as they are shown. */
  lines(from: number, to: number): LogLine[] {
    const last = Math.min(to, this.count);
    return Array.from({ length: Math.max(0, last - from) }, (_, at) => this.#line(from + at));
  }

  #line(number: number): LogLine {
    const start = this.#starts[number] ?? 0;
    const end = this.#endOf(number);
    if (end - start <= mostOfLine) return { text: this.#decode(start, end), folded: 0 };
    const tail = withoutLastReturns(this.#decode(Math.max(start, end - mostLookedBack), end));
    const over = tail.lastIndexOf('\r');
    if (over >= 0 && tail.length - over <= mostOfLine)
      return { text: tail.slice(over + 1), folded: 0 };
    const head = this.#decode(start, start + mostOfLine);
    return { text: head, folded: end - start - mostOfLine };
  }

  /** Where the line ends, its newline left out. */
  #endOf(number: number): number {
    return number + 1 < this.#count ? (this.#starts[number + 1] ?? 0) - 1 : this.#bytes;
  }

  /** The lines with this text, in any case, their styles left out. All of each line is looked at. */
  find(query: string): Uint32Array {
    const part = query.toLowerCase();
    const found: number[] = [];
    for (let from = 0; part !== '' && from < this.count; from += portion) {
      const texts = this.#texts(from, Math.min(this.count, from + portion));
      for (const [at, text] of texts.entries()) {
        if (text.toLowerCase().includes(part)) found.push(from + at);
      }
    }
    return Uint32Array.from(found);
  }

  /** Without styles. */
  #texts(from: number, to: number): string[] {
    const text = this.#decode(this.#starts[from] ?? 0, this.#endOf(to - 1));
    const lines = text.split('\n');
    return isPlain(text) ? lines : lines.map(plainText);
  }

  /** The text of all of it without styles, or of these lines. */
  text(numbers?: Uint32Array): string {
    const all = this.count;
    if (numbers) return Array.from(numbers, (one) => this.#texts(one, one + 1)[0]).join('\n');
    return all === 0 ? '' : this.#texts(0, all).join('\n');
  }

  /** As it came. */
  get pieces(): readonly Uint8Array[] {
    return this.#pieces;
  }

  #decode(start: number, end: number): string {
    let at = this.#pieceAt(start);
    const parts: Uint8Array[] = [];
    for (let from = start; from < end && at < this.#pieces.length; at++) {
      const offset = this.#pieceStarts[at] ?? 0;
      const part = this.#pieces[at]?.subarray(from - offset, end - offset) ?? new Uint8Array();
      parts.push(part);
      from += part.length;
    }
    if (parts.length === 1) return this.#decoder.decode(parts[0]);
    const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
    let to = 0;
    for (const part of parts) {
      joined.set(part, to);
      to += part.length;
    }
    return this.#decoder.decode(joined);
  }

  #pieceAt(position: number): number {
    let low = 0;
    let high = this.#pieceStarts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#pieceStarts[middle] ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
