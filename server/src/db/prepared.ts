/**
 * One statement on its way through the driver. Prepared under a name it is parsed once per
 * connection, and its columns are described once: what they are cannot change without an error.
 * The driver's own queries ask for the description each time, and build each row twice.
 */
import { type ClientBase, type Connection, Query } from 'pg';
import { type Column, type RowReader, rowReader } from './rows.ts';
import type { Answer } from './statement.ts';

/** A statement to send. Without a name it is prepared for this once. */
type Question = { text: string; values: (string | Buffer | null)[]; name: string | undefined };

/** Sends a statement and resolves with its answer. */
export function ask(client: ClientBase, question: Question): Promise<Answer> {
  return new Promise((resolve, reject) => {
    client.query(new Sent([new Part(question, resolve, reject)]));
  });
}

/** Of each connection what is asked in this tick. */
const gathered = new WeakMap<ClientBase, Part[]>();

/**
 * The same with all that is asked on this connection in the same tick: PostgreSQL answers them in one
 * piece. For the statements of one transaction: after one that fails it skips the others, and they fail
 * with the same error.
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

/** Sends what was asked together so far, for something else that is to come behind it. */
export function sendGathered(client: ClientBase): void {
  const parts = gathered.get(client);
  gathered.delete(client);
  if (parts) client.query(new Sent(parts));
}

/** What pg's types leave out of its connection. */
type Wire = Connection & {
  parsedStatements: Record<string, string | undefined>;
  submittedNamedStatements: Record<string, string | undefined>;
  bind(config: { statement: string | undefined; values: unknown[] }): void;
  parse(query: { text: string; name: string | undefined }): void;
  describe(what: { type: 'P' }): void;
  execute(what: object): void;
};

/** Of each connection the readers of its prepared statements, by their names. */
const readersOf = new WeakMap<Connection, Map<string, RowReader>>();

/** One statement, and what has come of its answer. */
class Part {
  readonly question: Question;
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #answer: Answer = { command: '', count: 0, records: [] };
  #readers: Map<string, RowReader> | undefined;
  #read: RowReader | undefined;
  #failure: unknown;
  /** It brings its text, because the connection does not know it under its name. */
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

  /** @param text `SELECT 3`, `INSERT 0 1`, `BEGIN`. */
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

  /** @param wire where it was sent, unless it never was. */
  fail(error: unknown, wire: Wire | undefined) {
    const { name } = this.question;
    // Its text was skipped with it: who sends it next brings it again.
    if (wire && this.#isParsed && name !== undefined) delete wire.submittedNamedStatements[name];
    this.#reject(error);
  }
}

/** Statements in one message to the server, whose answers come together. The driver calls it a query. */
class Sent {
  /** Asked for by the driver before it sends anything; it is told by the methods below. */
  readonly callback = () => {};
  readonly #parts: readonly Part[];
  /** Which part the answers are of. */
  #at = 0;
  #wire: Wire | undefined;

  constructor(parts: readonly Part[]) {
    this.#parts = parts;
  }

  /** The driver notes by these which statement the server has parsed. */
  get name() {
    return this.#parts[this.#at]?.question.name;
  }

  get text() {
    return this.#parts[this.#at]?.question.text;
  }

  submit(connection: Connection) {
    const wire = connection as Wire;
    this.#wire = wire;
    // One write for all messages.
    wire.stream.cork();
    try {
      for (const part of this.#parts) part.write(wire);
      wire.sync();
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
    // One that stands alone is committed after its answer, and may fail then.
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

// Of statements that are not its own the driver sends only such as can be sent behind others.
Object.setPrototypeOf(Sent.prototype, Query.prototype);
