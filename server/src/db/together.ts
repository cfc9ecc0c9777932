/**
 * Statements of several callers in one message: what is asked in the same moment is sent with one
 * Sync behind it, and PostgreSQL answers it in one piece. One by one, each answer was read by itself
 * and woke this process. They share an implicit transaction, so only for statements that read.
 */
import { type ClientBase, type Connection, DatabaseError, Query } from 'pg';
import { ask, completed, readerOf, type Wire } from './prepared.ts';
import type { RowReader } from './rows.ts';
import type { Answer } from './statement.ts';

/** The first answer of a message comes with the last. */
const most = 32;

type Asked = {
  name: string;
  values: (string | Buffer | null)[];
  read: RowReader;
  records: Record<string, unknown>[];
  /** A row could not be read. */
  failure?: unknown;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
  /** Sends it once more: one before it has failed, and nothing was done behind that. */
  again(): void;
};

/** Asks as `ask` does; together with the others those that the connection has prepared before. */
export function askTogether(): typeof ask {
  const gathered = new WeakMap<ClientBase, Asked[]>();

  return function together(client, text, values, name) {
    const read = name === undefined ? undefined : readerOf(client, name);
    if (name === undefined || read === undefined) return ask(client, text, values, name);
    return new Promise((resolve, reject) => {
      const again = () => together(client, text, values, name).then(resolve, reject);
      const asked: Asked = { name, values, read, records: [], resolve, reject, again };
      const others = gathered.get(client);
      if (others && others.length < most) return void others.push(asked);
      const all = [asked];
      gathered.set(client, all);
      // Each request is read in a callback of its own, and ticks come between them.
      setImmediate(() => {
        if (gathered.get(client) === all) gathered.delete(client);
        client.query(new Together(all));
      });
    });
  };
}

class Together {
  /** Asked for by the driver before it sends anything; it is told by the methods below. */
  readonly callback = () => {};
  readonly #asked: readonly Asked[];
  readonly #answers: Answer[] = [];

  constructor(asked: readonly Asked[]) {
    this.#asked = asked;
  }

  submit(connection: Connection) {
    const wire = connection as Wire;
    wire.stream.cork();
    try {
      for (const { name, values } of this.#asked) {
        wire.bind({ statement: name, values });
        wire.execute({});
      }
      wire.sync();
    } finally {
      wire.stream.uncork();
    }
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }) {
    const current = this.#asked[this.#answers.length];
    if (!current) return;
    try {
      current.records.push(current.read(fields));
    } catch (error) {
      current.failure ??= error;
    }
  }

  handleCommandComplete({ text }: { text: string }) {
    const records = this.#asked[this.#answers.length]?.records ?? [];
    this.#answers.push({ ...completed(text), records });
  }

  handleReadyForQuery() {
    this.#answer();
  }

  handleError(error: unknown) {
    this.#answer();
    const [failed, ...unanswered] = this.#asked.slice(this.#answers.length);
    failed?.reject(error);
    for (const { again, reject } of unanswered) {
      if (error instanceof DatabaseError) again();
      else reject(error);
    }
  }

  handleEmptyQuery() {}

  #answer() {
    for (const [place, answer] of this.#answers.entries()) {
      const asked = this.#asked[place];
      if (asked?.failure === undefined) asked?.resolve(answer);
      else asked.reject(asked.failure);
    }
  }
}

// Of statements that are not its own the driver sends only such as can be sent behind others.
Object.setPrototypeOf(Together.prototype, Query.prototype);
