/** The metrics of a process, for `GET /metrics`. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = ReturnType<typeof openMetrics>;

export function openMetrics() {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,

    /** Seconds from request to answer, by route and status. */
    requestSeconds: new Histogram({
      name: 'http_request_duration_seconds',
      help: 'Time to answer a request, by route and status.',
      labelNames: ['method', 'route', 'status'] as const,
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
      registers,
    }),

    /** Negative if the reserve is in use: then uploads are refused and no work starts. */
    storageRoom: new Gauge({
      name: 'storage_room_bytes',
      help: 'Bytes that may still be stored, the reserve left out.',
      registers,
    }),

    /** Answers that failed because the stored bytes differ from the recorded ones. */
    damagedObjects: new Counter({
      name: 'storage_damaged_objects_total',
      help: 'Reads of stored objects that were missing, truncated or overlong.',
      labelNames: ['damage'] as const,
      registers,
    }),
  };
}
