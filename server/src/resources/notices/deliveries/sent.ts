/** What came of sending a message once, by whichever way. */
export type Sent = {
  /** For the metrics; `delivered` is the only success. */
  word: 'delivered' | 'refused' | 'timeout' | 'unreachable' | 'refused_address' | 'limited';
  /** Of the answer. */
  status?: number;
  error?: string;
  /** As its receiver says it: when to come back. */
  retry_after?: string | undefined;
  /** Whether another attempt is pointless. */
  isFinal?: boolean;
  /** Whether it tells anything of the receiver, and not only of our mail server. */
  isOfReceiver: boolean;
};
