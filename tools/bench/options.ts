/** Options of the command line, common to all parts. */
import type { Peers } from './peers.ts';

export type Options = {
  /** The checkout whose server is measured. */
  checkout: string;
  rounds: number;
  /** Duration of the longest measurement of a round; the others are shorter. */
  seconds: number;
  isQuick: boolean;
  peers: Peers;
  /** An operation whose statements are printed. */
  show: string | undefined;
};
