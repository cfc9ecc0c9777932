/** What the command line says, the same for every part. */
import type { Peers } from './peers.ts';

export type Options = {
  /** Whose server is measured. */
  checkout: string;
  rounds: number;
  /** Of the longest measurement of a round; the others are shorter. */
  seconds: number;
  isQuick: boolean;
  peers: Peers;
  /** An operation whose statements are printed. */
  show: string | undefined;
};
