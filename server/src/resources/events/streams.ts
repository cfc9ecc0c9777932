/**
 * The open event streams of this process, and the single reader that serves them: on a notice that
 * there are new events it reads those of all watched runs in one statement and distributes them
 * from memory. While there are no streams nothing is read. Knows nothing of HTTP.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Caller } from '../../callers.ts';
import type { Pools } from '../../db/pools.ts';
import { databaseTrouble } from '../../db/trouble.ts';
import type { NewEvents } from '../../engine/new-events.ts';
import { DomainError } from '../../errors.ts';
import type { Limits } from '../../limits.ts';
import { isKept, isSeenAt, type Position, readPosition } from './positions.ts';
import { type EventRow, findEvents, findWatched, startFloor, type Wanted } from './queries.ts';
import { blank, type Message, positionBlock, ToldRuns, textOf } from './wire.ts';

/** Pause between two reads: events of that time are read together. */
const pause_ms = 50;
/** Pause after a failed read, and poll interval while notices may be missed. */
const slowPause_ms = 1000;
/** Proxies close a stream that is silent for too long. */
const heartbeat_ms = 15_000;
/** Heartbeats between checks of a stream's credentials, which may also expire. */
const beatsPerCheck = 4;
/** Rows per read. A tenant that would get more is told to read the full state again. */
const mostRows = 1000;
const mostBytes = 4 * 1024 * 1024;

/** Where a stream's bytes are written. */
export type Sink = { send(pieces: readonly Uint8Array[]): void; end(): void };

export type NewStream = {
  caller: Caller;
  /** A single run with its details; undefined: the runs of the caller's tenant. */
  run?: { id: number; has_ended: boolean };
  /** Where to resume. */
  since: Position | 'unknown' | undefined;
  sink: Sink;
  /** Whether the credentials that opened it are still valid. */
  isStillAllowed(): Promise<boolean>;
};

type Stream = Omit<NewStream, 'since'> & {
  /** Undefined until the initial state has been sent. */
  position: Position | undefined;
  /** Events were missed, and the client has to read the full state again. */
  hasMissed: boolean;
  /** The last position sent to the client. */
  given: Position | undefined;
};

export class EventStreams {
  readonly #db: Pools['engineDb'];
  readonly #notices: Pools['notices'];
  readonly #limits: Limits['streams'];
  readonly #log: Pick<Logger, 'error'>;
  readonly #streams = new Set<Stream>();
  readonly #told = new ToldRuns();
  /** The position up to which the reader has read. */
  #position: Position | undefined;
  /** Whether the table of events is known to have a floor. Without one nothing can be sent. */
  #hasFloor = false;
  /** Streams that resume are read one tenant at a time. */
  #isByTenant = false;
  #isDue = false;
  #isReading = false;
  #isCheckDue = false;
  #isChecking = false;
  #timers: NodeJS.Timeout[] = [];
  #beats = 0;

  constructor(
    { engineDb, notices }: Pick<Pools, 'engineDb' | 'notices'>,
    newEvents: NewEvents,
    limits: Limits['streams'],
    log: Pick<Logger, 'error'>,
  ) {
    this.#db = engineDb;
    this.#notices = notices;
    this.#limits = limits;
    this.#log = log;
    newEvents.on(() => this.#ring());
    notices.on('callers', (payload) => {
      if (!payload.startsWith('worker ')) this.#check();
    });
    notices.onChange(() => {
      this.#check();
      this.#ring();
    });
  }

  /**
   * @throws DomainError `too_many_requests` if the tenant, the user or the process has too many
   * streams.
   */
  requireRoom({ tenant_id, user_id }: Caller): void {
    const { in_all, per_tenant, per_user } = this.#limits;
    const open = [...this.#streams].map(({ caller }) => caller);
    const ofTenant = open.filter((caller) => caller.tenant_id === tenant_id);
    const ofUser = ofTenant.filter((caller) => caller.user_id === user_id);
    if (open.length >= in_all || ofTenant.length >= per_tenant || ofUser.length >= per_user)
      throw tooManyStreams();
  }

  /**
   * Serves a stream until it ends. @returns a function that stops it, for when the client has gone.
   */
  open({ since, ...given }: NewStream): () => void {
    const hasMissed = since === 'unknown';
    const position = hasMissed ? undefined : since;
    const stream: Stream = { ...given, position, hasMissed, given: position };
    this.#streams.add(stream);
    if (this.#timers.length === 0) this.#startTimers();
    this.#ring();
    return () => this.#remove(stream);
  }

  /** Ends all streams; clients reconnect to another process, or when this one is back. */
  close(): void {
    for (const stream of this.#streams) this.#end(stream);
  }

  #remove(stream: Stream) {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    this.#told.clear();
  }

  #end(stream: Stream) {
    this.#remove(stream);
    stream.sink.end();
  }

  #startTimers() {
    this.#timers = [
      setInterval(() => this.#beat(), heartbeat_ms),
      setInterval(() => {
        if (!this.#notices.isListening()) this.#ring();
      }, slowPause_ms),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /**
   * Sends the current position even without events: a client that is cut off then resumes from
   * there.
   */
  #beat() {
    for (const stream of this.#streams) {
      const { position, given, sink } = stream;
      sink.send([position && position !== given ? positionBlock(position) : blank]);
      stream.given = position;
    }
    this.#beats += 1;
    if (this.#beats % beatsPerCheck === 0) this.#check();
  }

  /** Ends the streams whose caller may no longer watch. */
  #check() {
    this.#isCheckDue = true;
    if (this.#isChecking || this.#streams.size === 0) return;
    this.#isChecking = true;
    // The cache of callers receives the same notice, perhaps after this handler.
    setImmediate(() => void this.#checkAll());
  }

  async #checkAll() {
    let hasFailed = false;
    while (this.#isCheckDue) {
      this.#isCheckDue = false;
      hasFailed = false;
      // One after the other: a thousand checks at once would delay other work.
      for (const stream of this.#streams) {
        const isAllowed = await stream.isStillAllowed().catch(() => undefined);
        if (isAllowed === false) this.#end(stream);
        hasFailed ||= isAllowed === undefined;
      }
    }
    this.#isChecking = false;
    // Streams whose check failed go on until one succeeds.
    if (hasFailed) setTimeout(() => this.#check(), slowPause_ms).unref();
  }

  #ring() {
    this.#isDue = true;
    if (this.#isReading || this.#streams.size === 0) return;
    this.#isReading = true;
    void this.#read();
  }

  async #read() {
    while (this.#isDue && this.#streams.size > 0) {
      this.#isDue = false;
      try {
        if (!this.#hasFloor) await startFloor(this.#db);
        this.#hasFloor = true;
        await this.#begin();
        if (await this.#goOn()) {
          this.#isDue = true;
          continue;
        }
      } catch (err) {
        if (!databaseTrouble(err)) this.#log.error({ err }, 'events could not be read');
        this.#isDue = true;
        await delay(slowPause_ms, undefined, { ref: false });
      }
      await delay(pause_ms, undefined, { ref: false });
    }
    this.#isReading = false;
  }

  /** Sends the current state to new streams, and to those that missed events. */
  async #begin() {
    const fresh = [...this.#streams].filter(({ position }) => position === undefined);
    if (fresh.length === 0) return;
    const ids = fresh.flatMap(({ run }) => run?.id ?? []);
    const { now, runs } = await findWatched(this.#db, [...new Set(ids)]);
    const position = known(now);
    const byId = new Map(runs.map((run) => [run.id, run]));
    for (const stream of fresh) {
      const { run, hasMissed } = stream;
      const messages: Message[] = [];
      if (hasMissed || !run)
        messages.push(['reset', { reason: hasMissed ? 'missed_changes' : 'start' }]);
      const state = run && byId.get(run.id);
      if (state) messages.push(...this.#told.whole(state));
      const isOver = run !== undefined && (!state || state.finished_at !== undefined);
      Object.assign(stream, { position, hasMissed: false });
      this.#tell(stream, textOf(messages), position, isOver);
    }
  }

  /**
   * Reads new events and distributes them. If that would be too many, streams that resume from another
   * position are read one tenant at a time, so that a long gap of one does not reset the others.
   *
   * @returns whether some streams wait for the next read.
   */
  async #goOn(): Promise<boolean> {
    const streams = [...this.#streams].filter((stream) => stream.position !== undefined);
    const live = streams.filter(({ position }) => position === this.#position);
    const others = streams.filter(({ position }) => position !== this.#position);
    const isFirst = ({ caller }: Stream) => caller.tenant_id === others[0]?.caller.tenant_id;
    const joining = this.#isByTenant ? others.filter(isFirst) : others;
    const found = await findEvents(
      this.#db,
      wantedBy(live, this.#position),
      wantedBy(joining, undefined),
      { rows: mostRows, bytes: mostBytes },
    );
    const now = known(found.now);
    this.#hasFloor = found.floor !== undefined;
    const isLiveTooMuch = isTooMuch(found.live);
    if (isLiveTooMuch || (isTooMuch(found.joining) && !joining.every(isFirst))) {
      // Which tenant has too many is not known yet.
      if (isLiveTooMuch) this.#position = undefined;
      this.#isByTenant = true;
      return true;
    }
    const isLate = ({ position }: Stream) => !position || !isKept(position, found.floor, now);
    const late = [
      ...live.filter(isLate),
      ...(isTooMuch(found.joining) ? joining : joining.filter(isLate)),
    ];
    for (const stream of late) Object.assign(stream, { position: undefined, hasMissed: true });
    if (late.length > 0) this.#isDue = true;

    const resumed = groupsOf(joining, found.joining);
    const groups = [...groupsOf(live, found.live), ...resumed];
    const changed = changedIn(groups);
    const { runs } = changed.size > 0 ? await findWatched(this.#db, [...changed]) : { runs: [] };
    const changedInResumed = changedIn(resumed);
    const progress = new Map(
      runs.map((run) => [
        run.id,
        changedInResumed.has(run.id) ? this.#told.completeProgress(run) : this.#told.progress(run),
      ]),
    );
    for (const { run_id, rows, streams: group } of groups) {
      const messages = rows.flatMap((row) => messagesOf(row, run_id !== undefined));
      const news = rows.length > 0 ? progress.get(run_id ?? 0) : undefined;
      if (news) messages.push(news);
      const text = textOf(messages);
      const isLast = run_id !== undefined && rows.some(({ is_last }) => is_last);
      for (const stream of group) {
        const isJoining = stream.position !== this.#position;
        const isOver = isLast || (isJoining && stream.run?.has_ended === true);
        stream.position = now;
        if (text.length > 0 || isOver) this.#tell(stream, text, now, isOver);
      }
    }
    this.#position = now;
    this.#isByTenant = joining.length < others.length;
    return this.#isByTenant;
  }

  #tell(stream: Stream, text: Uint8Array, position: Position, isOver: boolean) {
    if (!this.#streams.has(stream)) return;
    const end = isOver ? [textOf([['end', {}]])] : [];
    stream.sink.send([text, positionBlock(position), ...end]);
    stream.given = position;
    if (isOver) this.#end(stream);
  }
}

function known(text: string): Position {
  const position = readPosition(text);
  if (!position) throw new Error(`The database says "${text}", which is no snapshot.`);
  return position;
}

/**
 * @param seen the reader's position, shared by all these streams. Positions from clients are
 * compared only here: the database would refuse an impossible one, and fail the read for all.
 */
function wantedBy(streams: readonly Stream[], seen: Position | undefined): Wanted | undefined {
  if (streams.length === 0) return undefined;
  const tenants = streams.flatMap(({ run, caller }) => (run ? [] : caller.tenant_id));
  return {
    xmin: seen?.xmin ?? Math.min(...streams.map(({ position }) => position?.xmin ?? 0)),
    seen,
    run_ids: [...new Set(streams.flatMap(({ run }) => run?.id ?? []))],
    tenant_ids: [...new Set(tenants)],
  };
}

type Group = { run_id: number | undefined; rows: EventRow[]; streams: Stream[] };

/** Groups streams that get the same messages, so that each message is formatted once. */
function groupsOf(streams: readonly Stream[], rows: readonly EventRow[]): Group[] {
  const ofRuns = Map.groupBy(rows, ({ run_id }) => run_id);
  const ofTenants = Map.groupBy(
    rows.filter(({ run, run_id }) => run !== undefined || run_id === undefined),
    ({ tenant_id }) => tenant_id,
  );
  return [...Map.groupBy(streams, ({ position }) => position?.text).values()].flatMap((alike) => {
    const { position } = alike[0] as Stream;
    return position === undefined
      ? []
      : [...Map.groupBy(alike, ({ run, caller }) => run?.id ?? `all of ${caller.tenant_id}`)].map(
          ([, group]): Group => {
            const { run, caller } = group[0] as Stream;
            const own = run ? ofRuns.get(run.id) : ofTenants.get(caller.tenant_id);
            const unseen = (own ?? []).filter(({ xid }) => !isSeenAt(position, xid));
            return { run_id: run?.id, rows: unseen, streams: group };
          },
        );
  });
}

/** The watched runs of which there are new events. */
const changedIn = (groups: readonly Group[]): Set<number> =>
  new Set(groups.flatMap(({ run_id, rows }) => (rows.length > 0 ? (run_id ?? []) : [])));

const isTooMuch = (rows: readonly EventRow[]): boolean =>
  rows.length > mostRows || (rows.at(-1)?.bytes ?? 0) > mostBytes;

/** The messages of a row; details of a run are only for streams of that run. */
function messagesOf({ run_id, run, details }: EventRow, withDetails: boolean): Message[] {
  const isTold = withDetails || run_id === undefined;
  const lines = isTold && details !== undefined ? details.split('\n') : [];
  return [
    ...lines.map((line): Message => {
      const space = line.indexOf(' ');
      return [line.slice(0, space), { json: line.slice(space + 1) }];
    }),
    ...(run === undefined ? [] : [['run', { json: run }] satisfies Message]),
  ];
}

const tooManyStreams = () =>
  new DomainError(
    'too_many_requests',
    'Too many event streams are open. Close those that nobody looks at.',
    { code: 'too_many_at_once', retry_after_seconds: 30 },
  );
