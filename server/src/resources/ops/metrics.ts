/** What this process measures of itself, for `GET /metrics`. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export const registry = new Registry();
collectDefaultMetrics({ register: registry });

/** Seconds from the request's arrival to its answer, by route and status. */
export const requestSeconds = new Histogram({
  name: 'http_request_duration_seconds',
  help: 'Time to answer a request, by route and status.',
  labelNames: ['method', 'route', 'status'] as const,
  buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30],
  registers: [registry],
});

/** Less than nothing once the reserve is touched: then uploads are refused and no work starts. */
export const storageRoom = new Gauge({
  name: 'storage_room_bytes',
  help: 'Bytes that may still be stored, the reserve left out.',
  registers: [registry],
});

/** Every answer that could not be given because the stored bytes are not those that were recorded. */
export const damagedObjects = new Counter({
  name: 'storage_damaged_objects_total',
  help: 'Reads of stored objects that were missing, truncated or overlong.',
  labelNames: ['damage'] as const,
  registers: [registry],
});
