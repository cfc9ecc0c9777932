/**
 * Runs nothing and reports success without outputs, to measure server and protocol without
 * containers. settings.ts explains how it is kept out of real installations.
 */
import type { Executor } from '../executor.ts';

/** It uses nothing, so the machine's size is no limit. */
const unlimited = { cpu: 4096, memory_mb: 1_000_000_000, gpu: 1024, disk_mb: 1_000_000_000 };

export const noExecutor: Executor = {
  name: 'none: nothing is run',
  capacity: unlimited,
  features: ['egress'],
  execute: async (_order, _hooks, signal) => ({ status: signal.aborted ? 'cancelled' : 'success' }),
  close: async () => {},
};
