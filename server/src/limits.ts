/**
 * How much of a process one tenant, user or client may use at once, so that others are not
 * affected. Tests set their own limits; docs/operations.md explains these.
 */
import type { TurnLimits } from './turns.ts';

/**
 * `lookup`: single statements of `readDb`. `usual`: a few statements. `search`: reads much.
 * `start`: the start of a run, which writes much.
 */
export type TurnKind = 'lookup' | 'usual' | 'search' | 'start';

export type Limits = Readonly<{
  /** All kinds except look-ups together match the connections of the user pool (db/pools.ts). */
  turns: Readonly<Record<TurnKind, TurnLimits>>;
  /** Large starts, restarts and copies, each in a transaction of its own. */
  large_writes: TurnLimits;
  bodies: BodyPace;
  /** Calls of one worker per minute, besides heartbeats; 0: unlimited. */
  worker_calls: number;
  /** WebDAV requests of one user per minute; 0: unlimited. */
  dav_calls: number;
  registry: RegistryLimits;
  /** Messages to webhooks from one address per minute; 0: unlimited. */
  hook_calls: number;
  connections: Readonly<{ in_all: number; per_address: number }>;
  /** How long a request waits for an earlier one with the same Idempotency-Key, before 503. */
  same_key_wait_ms: number;
  streams: StreamLimits;
  zips: ZipLimits;
  uploads: UploadLimits;
  previews: PreviewLimits;
  notices: NoticeLimits;
}>;

/** How many messages of notices are sent. */
export type NoticePlaces = Readonly<{
  /** At once by one process. */
  in_all: number;
  /** At once by all processes. */
  per_tenant: number;
  per_notice: number;
}>;

/** Sending notices. */
export type NoticeLimits = Readonly<{
  calls: NoticePlaces;
  /** Each has a connection; mail servers take few of one client. */
  mails: NoticePlaces;
  /** Of one attempt, from the look-up of the name to the end of the answer. */
  time_ms: number;
  /** More of an answer is not read. */
  answer_bytes: number;
  /** To one user. */
  mails_per_hour: number;
}>;

/** Images that tenants store here. */
export type RegistryLimits = Readonly<{
  /** Requests of one user per minute, and of a tenant's workers together; 0: unlimited. */
  calls: number;
  most_blob_bytes: number;
  /** Of one user, begun and neither finished nor cancelled. */
  most_uploads: number;
  /** Of one upload. */
  most_pieces: number;
  /** Uploads whose pieces are put together at once. */
  joins: TurnLimits;
  /** Manifests that are received at once, each in memory. */
  manifests: TurnLimits;
}>;

/** Making previews. */
export type PreviewLimits = Readonly<{
  /** Child processes at once. */
  processes: number;
  waiting_per_tenant: number;
  /** Of a source. */
  most_bytes: number;
  /** Of a process, besides what it starts with. */
  memory_mb: number;
  /** Of one preview: once its bytes are read, and in all. */
  time_ms: number;
  in_all_ms: number;
  /** A process that has nothing to do ends after this. */
  idle_ms: number;
  /** How long a request waits for a preview. */
  wait_ms: number;
}>;

/** ZIPs of folders: a large one takes seconds to lay out, and memory until it is sent. */
export type ZipLimits = Readonly<{
  /** Laying out. */
  turns: TurnLimits;
  /** Files and folders of one ZIP, those left out included. */
  members: number;
  /** Of all ZIPs that are being sent, and of those of one tenant. */
  members_in_all: number;
  members_per_tenant: number;
}>;

/** Uploads in several steps. */
export type UploadLimits = Readonly<{
  /** Of one user, announced and neither confirmed nor aborted. */
  most_open: number;
  /** How long a request waits for the bytes to be read. */
  wait_ms: number;
  /** How long an upload stays claimed by a process that shows no life, and how often it does. */
  claim_ms: number;
  beat_ms: number;
  /** Objects that are read at once. Reading takes the processor time of computing checksums. */
  verifications: TurnLimits;
}>;

/**
 * Open event streams: each costs memory and a connection, but no work while there are no events.
 */
export type StreamLimits = Readonly<{
  in_all: number;
  per_tenant: number;
  per_user: number;
  /** Unsent bytes allowed for a stream whose client reads slowly. */
  most_bytes: number;
}>;

/** The required pace of a request's body. */
export type BodyPace = Readonly<{
  /** For a body that is read as a whole (JSON): maximum time. */
  whole_ms: number;
  /** For a streamed body (an upload): maximum time without a byte … */
  still_ms: number;
  /** … and minimum average speed, once this time has passed. */
  bytes_per_second: number;
  grace_ms: number;
  look_every_ms: number;
}>;

export const usualLimits: Limits = {
  turns: {
    // Look-ups hold no connection; this bounds how many of one tenant are ahead of another's.
    lookup: { slots: 32, per_tenant: 24, per_user: 16, waiting_per_user: 100, wait_ms: 20_000 },
    usual: { slots: 7, per_tenant: 5, per_user: 4, waiting_per_user: 100, wait_ms: 20_000 },
    search: { slots: 3, per_tenant: 2, per_user: 1, waiting_per_user: 30, wait_ms: 20_000 },
    // Starts mostly wait for a round of the engine, without a connection; see `large_writes`.
    start: { slots: 20, per_tenant: 16, per_user: 16, waiting_per_user: 100, wait_ms: 60_000 },
  },
  large_writes: { slots: 2, per_tenant: 1, per_user: 1, waiting_per_user: 30, wait_ms: 60_000 },
  bodies: {
    whole_ms: 30_000,
    still_ms: 60_000,
    bytes_per_second: 1024,
    grace_ms: 60_000,
    look_every_ms: 2000,
  },
  worker_calls: 6000,
  dav_calls: 6000,
  registry: {
    calls: 6000,
    most_blob_bytes: 64 * 1024 ** 3,
    most_uploads: 1000,
    most_pieces: 10_000,
    // 64 GiB take minutes.
    joins: { slots: 4, per_tenant: 2, per_user: 1, waiting_per_user: 30, wait_ms: 600_000 },
    // 256 MiB. Bodies that come too slowly are cut off after a minute, also those that wait.
    manifests: { slots: 64, per_tenant: 32, per_user: 16, waiting_per_user: 100, wait_ms: 30_000 },
  },
  hook_calls: 3000,
  connections: { in_all: 8000, per_address: 1000 },
  same_key_wait_ms: 60_000,
  streams: { in_all: 4000, per_tenant: 1000, per_user: 100, most_bytes: 1024 * 1024 },
  previews: {
    processes: 2,
    waiting_per_tenant: 200,
    most_bytes: 64 * 1024 * 1024,
    memory_mb: 640,
    time_ms: 15_000,
    in_all_ms: 60_000,
    idle_ms: 10_000,
    wait_ms: 5000,
  },
  notices: {
    calls: { in_all: 64, per_tenant: 16, per_notice: 4 },
    mails: { in_all: 4, per_tenant: 2, per_notice: 2 },
    ...{ time_ms: 15_000, answer_bytes: 64 * 1024, mails_per_hour: 50 },
  },
  zips: {
    // They hold a connection of the user pool, besides the turns above.
    turns: { slots: 2, per_tenant: 1, per_user: 1, waiting_per_user: 30, wait_ms: 60_000 },
    members: 1_000_000,
    members_in_all: 4_000_000,
    members_per_tenant: 2_000_000,
  },
  uploads: {
    most_open: 10_000,
    wait_ms: 20_000,
    claim_ms: 15_000,
    beat_ms: 2000,
    verifications: {
      ...{ slots: 4, per_tenant: 3, per_user: 2 },
      // Whoever waits has been answered; a day is more than the others can take.
      ...{ waiting_per_user: 10_000, wait_ms: 24 * 3600 * 1000 },
    },
  },
};
