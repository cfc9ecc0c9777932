/** The progress of files sent or saved: one line for all on a terminal, a lasting one for each that ended. */
import { type Screen, spinner } from './terminal.ts';
import { bar, count, size } from './words.ts';

export type Transfer = { name: string; size_bytes: number };

/** A file is sent or saved, needs neither, or failed. */
export type TransferEnd = { words: string; isSkipped?: boolean } | { error: unknown };

export type TransferProgress = Disposable & {
  /** @param there how many of the bytes were there before, and were not transferred. */
  moved(at: number, bytes: number, there?: number): void;
  /** Once the size is known. */
  sized(at: number, bytes: number): void;
  ended(at: number, end: TransferEnd): void;
};

/** After Ctrl-C. */
export const howToGoOn = (which: string) =>
  `Stopped. ${which} same command goes on with what is missing.`;

type State = { bytes: number; there: number; size_bytes: number; end?: TransferEnd };

/**
 * @param verb Upload or Download.
 * @param onFault called after the line of a file that failed.
 */
export function openTransfers(
  { animate, draw, note, paint }: Screen,
  verb: string,
  files: readonly Transfer[],
  onFault: (error: unknown) => void,
): TransferProgress {
  const states = files.map(({ size_bytes }): State => ({ bytes: 0, there: 0, size_bytes }));
  const began = Date.now();
  let whole = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0);
  let total = 0;
  let there = 0;
  let noted = 0;
  let done = 0;

  const change = (at: number, next: Partial<State>) => {
    const state = states[at];
    if (!state) return;
    const before = { ...state };
    Object.assign(state, next);
    total += state.bytes - before.bytes;
    there += state.there - before.there;
    whole += state.size_bytes - before.size_bytes;
  };
  const line = () => {
    const seconds = (Date.now() - began) / 1000;
    const amounts = `${size(total)} of ${size(whole)}`;
    const speed = seconds > 1 ? `, ${size(Math.round((total - there) / seconds))}/s` : '';
    const title = `${verb} ${done} of ${count(files.length, 'file')}`;
    return `${paint('cyan', spinner())} ${title}  ${bar(total / (whole || 1), paint)}  ${amounts}${speed}`;
  };
  const noteOne = (at: number, end: TransferEnd) => {
    const title = `${verb} ${files[at]?.name}`;
    if ('error' in end) {
      note(`${paint('red', '✗')} ${title}`);
      onFault(end.error);
    } else {
      const mark = end.isSkipped ? paint('dim', '-') : paint('green', '✓');
      note(`${mark} ${title}  ${paint('dim', end.words)}`);
    }
  };
  const animation = animate(() => draw([line()]));
  return {
    moved: (at, bytes, there = states[at]?.there ?? 0) => change(at, { bytes, there }),
    sized: (at, size_bytes) => change(at, { size_bytes }),
    ended(at, end) {
      const state = states[at];
      if (!state) return;
      done += 1;
      const isMoved = !('error' in end || end.isSkipped);
      change(at, { bytes: state.size_bytes, end, ...(isMoved ? {} : { there: state.size_bytes }) });
      // In the order of the files, so that the same command says the same.
      for (let next = states[noted]?.end; next; next = states[noted]?.end) noteOne(noted++, next);
    },
    [Symbol.dispose]: () => {
      animation[Symbol.dispose]();
      draw([]);
    },
  };
}
