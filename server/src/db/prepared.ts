/**
 * One statement on its way through the driver. Prepared under a name it is parsed once per
 * connection, and its columns are described once: what they are cannot change without an error.
 * The driver's own queries ask for the description each time, and build each row twice.
 */
import { type ClientBase, type Connection, Query } from 'pg';
import { type Column, type RowReader, rowReader } from './rows.ts';
import type { Answer } from './statement.ts';

/** Sends a statement and resolves with its answer. Without a name it is prepared for this once. */
export function ask(
  client: ClientBase,
  text: string,
  values: (string | Buffer | null)[],
  name: string | undefined,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    client.query(new Prepared(text, values, name, resolve, reject));
  });
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

class Prepared {
  readonly text: string;
  readonly values: (string | Buffer | null)[];
  readonly name: string | undefined;
  /** Asked for by the driver before it sends anything; it is told by the methods below. */
  readonly callback = () => {};
  readonly #resolve: (answer: Answer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #answer: Answer = { command: '', count: 0, records: [] };
  #readers: Map<string, RowReader> | undefined;
  #read: RowReader | undefined;
  #failure: unknown;

  constructor(
    text: string,
    values: (string | Buffer | null)[],
    name: string | undefined,
    resolve: (answer: Answer) => void,
    reject: (error: unknown) => void,
  ) {
    this.text = text;
    this.values = values;
    this.name = name;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: Connection) {
    const wire = connection as Wire;
    const { text, name, values } = this;
    if (name !== undefined) {
      this.#readers = readersOf.get(connection);
      if (!this.#readers) {
        this.#readers = new Map();
        readersOf.set(connection, this.#readers);
      }
      this.#read = this.#readers.get(name);
    }
    // One write for all messages.
    wire.stream.cork();
    try {
      const { parsedStatements: parsed, submittedNamedStatements: sent } = wire;
      if (name === undefined || (parsed[name] ?? sent[name]) === undefined) {
        wire.parse({ text, name });
        if (name !== undefined) sent[name] = text;
      }
      wire.bind({ statement: name, values });
      if (!this.#read) wire.describe({ type: 'P' });
      wire.execute({});
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
  }

  handleRowDescription({ fields }: { fields: readonly Column[] }) {
    this.#learn(rowReader(fields));
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }) {
    try {
      if (this.#read) this.#answer.records.push(this.#read(fields));
    } catch (error) {
      this.#failure ??= error;
    }
  }

  handleCommandComplete({ text }: { text: string }) {
    // `SELECT 3`, `INSERT 0 1`, `BEGIN`.
    const [command = '', ...numbers] = text.split(' ');
    this.#answer.command = command;
    this.#answer.count = Number(numbers.at(-1)) || 0;
    if (!this.#read) this.#learn(rowReader([]));
  }

  handleReadyForQuery() {
    if (this.#failure === undefined) this.#resolve(this.#answer);
    else this.#reject(this.#failure);
  }

  handleError(error: unknown) {
    this.#reject(error);
  }

  handleEmptyQuery() {}

  #learn(read: RowReader) {
    this.#read = read;
    if (this.name !== undefined) this.#readers?.set(this.name, read);
  }
}

// Of statements that are not its own the driver sends only such as can be sent behind others.
Object.setPrototypeOf(Prepared.prototype, Query.prototype);
