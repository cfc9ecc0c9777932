/** SQL as a tagged template: each `${…}` is a parameter or another template. */
import { castOf, Json, type SqlValue, toParameter } from './values.ts';

/** The rows of a statement, and the number of rows read or changed. */
export type Rows<Row extends readonly object[]> = Row & { readonly count: number };

/** A statement as sent. Equal texts are prepared once per connection. */
export type Query = { text: string; values: (string | Buffer | null)[] };

/**
 * A statement that runs once, when it is awaited. One that is not awaited can be a part of another:
 * `db`select … ${isMine ? db`where owner = ${me}` : db``}``.
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

  /** Sends it now, for a statement that others follow before anything is awaited. */
  send(): Promise<Result> {
    return this.#once();
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
    const values: Query['values'] = [];
    const shape = this.#gather(firstShape(), values);
    if (shape.text === undefined) {
      const text: string[] = [];
      this.#writeTo(text, 0);
      shape.text = text.join('');
    }
    return this.#run({ text: shape.text, values }) as Promise<Result>;
  }

  /** Appends the values in order. @returns the shape so far, including this part. */
  #gather(before: Shape, values: Query['values']): Shape {
    let shape = following(before, this.#strings);
    for (let at = 0; at < this.#values.length; at += 1) {
      const value = this.#values[at];
      if (value instanceof Statement) {
        shape = value.#gather(shape, values);
        continue;
      }
      if (value === undefined)
        throw new TypeError(
          `Value ${at + 1} of this statement is undefined: ${this.#strings.join('…')}`,
        );
      values.push(toParameter(value));
      shape = following(shape, castOf(value));
    }
    return shape;
  }

  /** Appends the text; `parameters` were used before. @returns the number used so far. */
  #writeTo(text: string[], parameters: number): number {
    let count = parameters;
    for (const [at, string] of this.#strings.entries()) {
      text.push(string);
      if (at === this.#values.length) break;
      const value = this.#values[at];
      if (value instanceof Statement) count = value.#writeTo(text, count);
      else {
        count += 1;
        text.push(`$${count}${castOf(value)}`);
      }
    }
    return count;
  }
}

/**
 * The templates a statement consists of, and the casts of its values: these determine its text.
 * Shapes form a tree, because walking it is ten times as fast as composing the text.
 */
type Shape = { text?: string; next: Map<unknown, Shape> };

/**
 * Far more than our templates can form. If templates are created at run time, the tree is cleared.
 */
const mostShapes = 50_000;
let shapes = 0;
let root: Shape = { next: new Map() };

function firstShape(): Shape {
  if (shapes > mostShapes) {
    shapes = 0;
    root = { next: new Map() };
  }
  return root;
}

function following(shape: Shape, part: unknown): Shape {
  const known = shape.next.get(part);
  if (known) return known;
  const made: Shape = { next: new Map() };
  shape.next.set(part, made);
  shapes += 1;
  return made;
}

/** A value of a template. */
// biome-ignore lint/suspicious/noExplicitAny: whatever a piece would answer, it is not asked.
export type Part = SqlValue | Statement<any>;

export type Tag = {
  /**
   * One statement, prepared on first use. `Row` declares the type of the rows; it is not checked.
   */
  // biome-ignore lint/suspicious/noExplicitAny: rows without a type may have any column.
  <Row extends readonly object[] = Record<string, any>[]>(
    strings: TemplateStringsArray,
    ...values: readonly Part[]
  ): Statement<Rows<Row>>;
  /** A parameter of type json or jsonb. */
  json(value: unknown): Json;
};

/** The tag whose statements are executed by `run`. */
export function tagFor(run: (statement: Query) => Promise<unknown>): Tag {
  const tag = (strings: TemplateStringsArray, ...values: readonly Part[]) =>
    new Statement(strings, values, run);
  return Object.assign(tag as unknown as Tag, { json: (value: unknown) => new Json(value) });
}

/** The database's answer to a statement. */
export type Answer = {
  records: Record<string, unknown>[];
  /** How many rows were read or changed, for commands that report it. */
  count: number;
  /** The command tag, for example `SELECT` or `COMMIT`. */
  command: string;
};

export function recordsOf({ records, count }: Answer): Rows<Record<string, unknown>[]> {
  return Object.assign(records, { count });
}
