/** The shape of a command, and what it may use. */
import type { Client } from '@cogworks/sdk/client';
import type { Answer, AnswerPages, Screen } from './terminal.ts';

export type Command = {
  /** Another word for it. */
  alias?: string;
  /** How it is typed. */
  usage: string;
  /** A few lines about what it does, and its options. */
  help: string;
  /**
   * Reads the arguments, before any request is sent.
   *
   * @throws UsageProblem, or errors of parseArgs.
   */
  read(args: string[]): Action;
};

/** @returns the exit code. */
export type Action = (cli: Cli) => Promise<number>;

export type Cli = {
  client: Client;
  baseUrl: string;
  /** The base of relative paths. */
  dir: string;
  screen: Screen;
  answer: Answer;
  answerPages: AnswerPages;
  /** For bytes of a file; everything else goes there by `answer`. */
  output: NodeJS.WritableStream;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
};
