/** The shape of an operator command, and what it works with. */
import type { Config } from '../config.ts';
import type { Connection } from '../db/connection.ts';
import type { Keys } from '../keys/keys.ts';

export class UsageError extends Error {}

/** What a check found. It goes to stdout like any result, but the exit code is 1. */
export class Faults extends Error {}

export type Parts = {
  config: Config;
  db: Connection;
  keys: Keys;
  /** Prints a part of the result at once, if it must not be lost. */
  tell?(text: string): Promise<void>;
};
export type Values = Record<string, string | undefined>;

export type Command = {
  name: string;
  options: string;
  about: string;
  accepts: string[];
  /** @returns the work to do, whose result goes to stdout; it throws `Faults`. @throws UsageError */
  prepare(values: Values): (parts: Parts) => Promise<string>;
};
