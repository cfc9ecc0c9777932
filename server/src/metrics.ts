/**
 * The metrics of a process, for `GET /metrics`. Counters are of this process; what the database
 * knows is the same from every process (resources/ops/measures.ts). No metric has a label of a tenant,
 * user or run: there can be any number of them. docs/grafana/cogworks.json draws all of them.
 */
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

    ...countedIn(registers),
    ...measuredIn(registers),
  };
}

/** What this process has decided. */
const countedIn = (registers: Registry[]) => ({
  runsFinished: new Counter({
    name: 'cogworks_runs_finished_total',
    help: 'Runs that have ended, by their status.',
    labelNames: ['status'] as const,
    registers,
  }),
  runSeconds: new Histogram({
    name: 'cogworks_run_duration_seconds',
    help: 'From the start of the first step to the end of a run.',
    buckets: [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400],
    registers,
  }),
  attemptsLost: new Counter({
    name: 'cogworks_attempts_lost_total',
    help: 'Attempts that were given up because their worker was not heard from.',
    registers,
  }),
  firings: new Counter({
    name: 'cogworks_trigger_firings_total',
    help: 'What became of ticks, messages and new files.',
    labelNames: ['source', 'state'] as const,
    registers,
  }),
  firingFailures: new Counter({
    name: 'cogworks_trigger_failures_total',
    help: 'Firings that failed in the service; they are tried again.',
    registers,
  }),
  firingLateness: new Histogram({
    name: 'cogworks_trigger_lateness_seconds',
    help: 'From the time of a tick to the start of its run.',
    buckets: [1, 2, 5, 15, 60, 300, 3600],
    registers,
  }),
  messages: new Counter({
    name: 'cogworks_webhook_in_total',
    help: 'Messages that came to webhooks.',
    labelNames: ['verdict'] as const,
    registers,
  }),
  noticeAttempts: new Counter({
    name: 'cogworks_webhook_out_attempts_total',
    help: 'Attempts to deliver a notice.',
    labelNames: ['outcome'] as const,
    registers,
  }),
  quotaRefusals: new Counter({
    name: 'cogworks_quota_refusals_total',
    help: 'Requests that were refused because a limit on credits, seats or storage was reached.',
    labelNames: ['quota'] as const,
    registers,
  }),
  signIns: new Counter({
    name: 'cogworks_signins_total',
    help: 'Sign-ins, with a password or at the external provider.',
    labelNames: ['outcome'] as const,
    registers,
  }),
});

/** What is measured when somebody asks. */
const measuredIn = (registers: Registry[]) => ({
  connections: new Gauge({
    name: 'cogworks_database_connections',
    help: 'Connections of this process, by pool: in use, idle, and what waits for one.',
    labelNames: ['pool', 'state'] as const,
    registers,
  }),
  queueDepth: new Gauge({
    name: 'cogworks_queue_depth',
    help: 'Steps that wait for a worker (`worker`), or for the pause after a failure (`backoff`).',
    labelNames: ['reason'] as const,
    registers,
  }),
  queueOldest: new Gauge({
    name: 'cogworks_queue_oldest_seconds',
    help: 'How long the step has waited that waits longest.',
    labelNames: ['reason'] as const,
    registers,
  }),
  runsUnderWay: new Gauge({
    name: 'cogworks_runs_under_way',
    help: 'Runs that have not ended, by their status.',
    labelNames: ['status'] as const,
    registers,
  }),
  leases: new Gauge({
    name: 'cogworks_leases',
    help: 'Attempts that workers hold.',
    registers,
  }),
  holdsOpen: new Gauge({
    name: 'cogworks_ledger_holds_open',
    help: 'Leased attempts for which credits are held, because a limit applies to them.',
    registers,
  }),
  leaseOverdue: new Gauge({
    name: 'cogworks_lease_overdue_seconds',
    help: 'By how long the most overdue lease has passed its end; 0 if none has.',
    registers,
  }),
  workers: new Gauge({
    name: 'cogworks_workers',
    help: 'Workers, by their status.',
    labelNames: ['status'] as const,
    registers,
  }),
  triggersOverdue: new Gauge({
    name: 'cogworks_trigger_overdue_seconds',
    help: 'By how long the oldest tick is due that nobody has decided; 0 if none is.',
    registers,
  }),
  triggersFailing: new Gauge({
    name: 'cogworks_triggers_failing',
    help: 'Triggers whose last firing failed in the service, and which are tried again after a pause.',
    registers,
  }),
  arrivals: new Gauge({
    name: 'cogworks_trigger_arrivals',
    help: 'New files that no trigger has looked at yet.',
    registers,
  }),
  noticesOldest: new Gauge({
    name: 'cogworks_webhook_out_oldest_seconds',
    help: 'By how long the oldest attempt to deliver a notice is due; 0 if none is.',
    registers,
  }),
  objectsToCollect: new Gauge({
    name: 'cogworks_objects_to_collect',
    help: 'Stored bytes to which nothing refers, still to be removed.',
    registers,
  }),
  auditUnsealed: new Gauge({
    name: 'cogworks_audit_unsealed_events',
    help: 'Events of the audit trail that are not sealed yet.',
    registers,
  }),
  storedBytes: new Gauge({
    name: 'cogworks_stored_bytes',
    help: 'Bytes that count against storage limits, of everybody together.',
    registers,
  }),
});
