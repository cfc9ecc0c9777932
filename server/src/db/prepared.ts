/**
 * One statement as the driver sends it. A named statement is parsed and its columns are described
 * once per connection: they cannot change without an error. The driver's own queries ask for the
 * description each time, and build each row twice.
 */
import { type ClientBase, type Connection, Query } from 'pg';
import { type Column, type RowReader, rowReader } from './rows.ts';
import type { Answer } from './statement.ts';

/** A statement to send. Without a name it is prepared for this use only. */
type Question = { text: string; values: (string | Buffer | null)[]; name: string | undefined };

/** Sends a statement and resolves with its answer. */
export function ask(client: ClientBase, question: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    client.query(new Sent([new Part(question, resolve, reject)]));
  });
}

/** Statements of the current tick, by connection. */
const gathered = new WeakMap<ClientBase, Part[]>();

/**
 * Sends a statement together with all others of the same tick on this connection: PostgreSQL
 * answers them together. For statements of one transaction: if one fails, the later ones are
 * skipped and fail with the same error.
 */
export function askTogether(client: ClientBase, question: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const part = new Part(question, resolve, reject);
    const parts = gathered.get(client);
    if (parts) parts.push(part);
    else {
      gathered.set(client, [part]);
      process.nextTick(() => sendGathered(client));
    }
  });
}

/** Sends the statements gathered so far, because something else has to follow them. */
export function sendGathered(client: ClientBase): void {
  const parts = gathered.get(client);
  gathered.delete(client);
  if (parts) client.query(new Sent(parts));
}

/** Missing in pg's types of the connection. */
type Wire = Connection & {
  parsedStatements: Record<string, string | undefined>;
  submittedNamedStatements: Record<string, string | undefined>;
  bind(config: { statement: string | undefined; values: unknown[] }): void;
  parse(query: { text: string; name: string | undefined }): void;
  describe(what: { type: 'P' }): void;
  execute(what: object): void;
};

/** The row readers of prepared statements by name, for each connection. */
const readersOf = new WeakMap<Connection, Map<string, RowReader>>();

/** One statement, and its answer as far as it was received. */
class Part {
  readonly question: Question;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #answer: Answer = { command: '', count: 0, records: [] };
  #readers: Map<string, RowReader> | undefined;
  #read: RowReader | undefined;
  #failure: unknown;
  /** Whether it carries its text, because the connection does not know its name yet. */
  #isParsed = false;

  constructor(
    question: Question,
    resolve: (answer: Answer) => void,
    reject: (error: unknown) => void,
  ) {
    this.question = question;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  write(wire: Wire) {
    const { text, name, values } = this.question;
    if (name !== undefined) {
      this.#readers = readersOf.get(wire);
      if (!this.#readers) {
        this.#readers = new Map();
        readersOf.set(wire, this.#readers);
      }
      this.#read = this.#readers.get(name);
    }
    const { parsedStatements: parsed, submittedNamedStatements: sent } = wire;
    if (name === undefined || (parsed[name] ?? sent[name]) === undefined) {
      wire.parse({ text, name });
      if (name !== undefined) sent[name] = text;
      this.#isParsed = true;
    }
    wire.bind({ statement: name, values });
    if (!this.#read) wire.describe({ type: 'P' });
    wire.execute({});
  }

  learn(fields: readonly Column[]) {
    this.#read = rowReader(fields);
    const { name } = this.question;
    if (name !== undefined) this.#readers?.set(name, this.#read);
  }

  add(fields: readonly (string | null)[]) {
    try {
      if (this.#read) this.#answer.records.push(this.#read(fields));
    } catch (error) {
      this.#failure ??= error;
    }
  }

  /** @param text the command tag: `SELECT 3`, `INSERT 0 1`, `BEGIN`. */
  complete(text: string) {
    const [command = '', ...numbers] = text.split(' ');
    this.#answer.command = command;
    this.#answer.count = Number(numbers.at(-1)) || 0;
    if (!this.#read) this.learn([]);
  }

  end() {
    if (this.#failure === undefined) this.#resolve(this.#answer);
    else this.#reject(this.#failure);
  }

  /** @param wire the connection it was sent on; undefined if it was not sent. */
  fail(error: unknown, wire: Wire | undefined) {
    const { name } = this.question;
    // Its Parse message was skipped too, so the next use must send the text again.
    if (wire && this.#isParsed && name !== undefined) delete wire.submittedNamedStatements[name];
    this.#reject(error);
  }
}

/** Statements in one message, whose answers arrive together. The driver treats it as one query. */
class Sent {
  /** The driver requires it before sending; the methods below are called instead. */
  readonly callback = () => {};
  readonly #parts: readonly Part[];
  /** The part that the current answer belongs to. */
  #at = 0;
  #wire: Wire | undefined;

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  /** The driver uses these to record which statement the server has parsed. */
  get name() {
    return this.#parts[this.#at]?.question.name;
  }

  get text() {
    return this.#parts[this.#at]?.question.text;
  }

  /** @returns why it cannot be sent; the driver then fails it. */
  submit(connection: Connection): Error | undefined {
    const wire = connection as Wire;
    this.#wire = wire;
    // One write for all messages.
    wire.stream.cork();
    try {
      for (const part of this.#parts) part.write(wire);
      wire.sync();
      return undefined;
    } catch (error) {
      // A part of the messages may be in the buffer, without the Sync that ends them.
      wire.stream.destroy(error as Error);
      return error as Error;
    } finally {
      wire.stream.uncork();
    }
  }

  handleRowDescription({ fields }: { fields: readonly Column[] }) {
    this.#parts[this.#at]?.learn(fields);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }) {
    this.#parts[this.#at]?.add(fields);
  }

  handleCommandComplete({ text }: { text: string }) {
    this.#parts[this.#at]?.complete(text);
    this.#at += 1;
  }

  handleReadyForQuery() {
    for (const part of this.#parts) part.end();
  }

  handleError(error: unknown) {
    // A single statement commits after its answer, and that commit may fail.
    const failed = Math.min(this.#at, this.#parts.length - 1);
    for (const [at, part] of this.#parts.entries()) {
      if (at < failed) part.end();
      else part.fail(error, this.#wire);
    }
  }

  handleEmptyQuery() {
    this.#at += 1;
  }
}

// The driver pipelines foreign queries only if they are instances of its own class.
Object.setPrototypeOf(Sent.prototype, Query.prototype);
