/** SQL as a tagged template: what stands in `${…}` is a parameter, or another template. */
import { castOf, Json, type SqlValue, toParameter } from './values.ts';

/** The rows of a statement, and how many rows it read or changed. */
export type Rows<Row extends readonly object[]> = Row & { readonly count: number };

/** A statement as it is sent. Equal texts are prepared once per connection. */
export type Query = { text: string; values: (string | Buffer | null)[] };

/**
 * A statement that runs when somebody waits for it, once. One that nobody waits for is a piece of
 * another: `db`select … ${isMine ? db`where owner = ${me}` : db``}``.
 */
export class Statement<Result> implements Promise<Result> {
  readonly #strings: readonly string[];
  readonly #values: readonly Part[];
  readonly #run: (statement: Query) => Promise<unknown>;
  #result: Promise<Result> | undefined;

  constructor(
    strings: readonly string[],
    values: readonly Part[],
    run: (statement: Query) => Promise<unknown>,
  ) {
    this.#strings = strings;
    this.#values = values;
    this.#run = run;
  }

  get [Symbol.toStringTag]() {
    return 'Statement';
  }

  // biome-ignore lint/suspicious/noThenProperty: it is run by being awaited.
  then<A = Result, B = never>(
    onResult?: ((result: Result) => A | PromiseLike<A>) | null,
    onError?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#once().then(onResult, onError);
  }

  catch<B = never>(onError?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Result | B> {
    return this.#once().catch(onError);
  }

  finally(onEnd?: (() => void) | null): Promise<Result> {
    return this.#once().finally(onEnd);
  }

  #once(): Promise<Result> {
    this.#result ??= this.#start();
    return this.#result;
  }

  async #start(): Promise<Result> {
    const text: string[] = [];
    const values: Query['values'] = [];
    this.#writeTo(text, values);
    return this.#run({ text: text.join(''), values }) as Promise<Result>;
  }

  #writeTo(text: string[], values: Query['values']) {
    for (const [at, string] of this.#strings.entries()) {
      text.push(string);
      if (at === this.#values.length) break;
      const value = this.#values[at];
      if (value instanceof Statement) {
        value.#writeTo(text, values);
        continue;
      }
      if (value === undefined)
        throw new TypeError(
          `Value ${at + 1} of this statement is undefined: ${this.#strings.join('…')}`,
        );
      values.push(toParameter(value));
      text.push(`$${values.length}${castOf(value)}`);
    }
  }
}

/** What a template takes. */
// biome-ignore lint/suspicious/noExplicitAny: whatever a piece would answer, it is not asked.
export type Part = SqlValue | Statement<any>;

export type Tag = {
  /** One statement, prepared on first use. `Row` says what rows there are; nothing checks it. */
  // biome-ignore lint/suspicious/noExplicitAny: rows without a type may have any column.
  <Row extends readonly object[] = Record<string, any>[]>(
    strings: TemplateStringsArray,
    ...values: readonly Part[]
  ): Statement<Rows<Row>>;
  /** A parameter of type json or jsonb. */
  json(value: unknown): Json;
};

/** The tag whose statements `run` runs. */
export function tagFor(run: (statement: Query) => Promise<unknown>): Tag {
  const tag = (strings: TemplateStringsArray, ...values: readonly Part[]) =>
    new Statement(strings, values, run);
  return Object.assign(tag as unknown as Tag, { json: (value: unknown) => new Json(value) });
}
