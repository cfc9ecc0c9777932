/** The progress of uploads: one line for all on a terminal, and a lasting one for each that ended. */
import type { Cog } from '@cogworks/sdk/contract.gen';
import type { ManyOutcome } from '@cogworks/sdk/upload-many';
import { type Screen, spinner } from './terminal.ts';
import { bar, count, size } from './words.ts';

type Outcome = Omit<ManyOutcome, 'path'>;

export type SendingProgress = Disposable & {
  sent(at: number, bytes: number): void;
  ended(at: number, outcome: Outcome): void;
  cogs(): Cog[];
};

/** @param onFault called after the line of a file that was not sent. */
export function openProgress(
  { animate, draw, note, paint }: Screen,
  files: readonly { name: string; bytes: Blob | undefined }[],
  onFault: (error: unknown) => void,
): SendingProgress {
  const sizes = files.map(({ bytes }) => bytes?.size ?? 0);
  const whole = sizes.reduce((sum, one) => sum + one, 0);
  const sent = files.map(() => 0);
  const outcomes: Outcome[] = [];
  const began = Date.now();
  let total = 0;
  let noted = 0;
  let done = 0;

  const count_bytes = (at: number, bytes: number) => {
    total += bytes - (sent[at] ?? 0);
    sent[at] = bytes;
  };
  const line = () => {
    const seconds = (Date.now() - began) / 1000;
    const amounts = `${size(total)} of ${size(whole)}`;
    const speed = seconds > 1 ? `, ${size(Math.round(total / seconds))}/s` : '';
    const title = `Upload ${done} of ${count(files.length, 'file')}`;
    return `${paint('cyan', spinner())} ${title}  ${bar(total / (whole || 1), paint)}  ${amounts}${speed}`;
  };
  const noteOne = (at: number, { cog, error, isSkipped }: Outcome) => {
    const title = `Upload ${files[at]?.name}`;
    const words = (text: string) => `  ${paint('dim', text)}`;
    if (cog) note(`${paint('green', '✓')} ${title}${words(size(sizes[at] ?? 0))}`);
    else if (isSkipped) note(`${paint('dim', '-')} ${title}${words('exists already, skipped')}`);
    else {
      note(`${paint('red', '✗')} ${title}`);
      onFault(error);
    }
  };
  const animation = animate(() => draw([line()]));
  return {
    sent: count_bytes,
    ended(at, outcome) {
      outcomes[at] = outcome;
      done += 1;
      count_bytes(at, sizes[at] ?? 0);
      // In the order of the files, so that the same command says the same.
      for (let next = outcomes[noted]; next; next = outcomes[noted]) noteOne(noted++, next);
    },
    cogs: () => outcomes.flatMap(({ cog }) => cog ?? []),
    [Symbol.dispose]: () => {
      animation[Symbol.dispose]();
      draw([]);
    },
  };
}
