/** What a command is, and what it may ask for. */
import type { Client } from '@cogworks/sdk/client';
import type { Answer, Screen } from './terminal.ts';

export type Command = {
  /** How it is typed. */
  usage: string;
  /** What it does, and its options, in a few lines. */
  help: string;
  /**
   * Reads the arguments, before anything is asked of the service.
   *
   * @throws UsageProblem, or what parseArgs throws.
   */
  read(args: string[]): Action;
};

/** @returns the exit code. */
export type Action = (cli: Cli) => Promise<number>;

export type Cli = {
  client: Client;
  baseUrl: string;
  /** Where relative paths begin. */
  dir: string;
  screen: Screen;
  answer: Answer;
  /** Aborts by Ctrl-C. */
  signal: AbortSignal;
};
