/** What can go wrong, in field words. Which HTTP status each becomes is known in http/ alone. */

export type Problem =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'unprocessable'
  | 'precondition_required'
  | 'too_many_requests'
  | 'unavailable';

/** One fault of a request's field; `loc` is the way to it, for example `['body', 'name']`. */
export type FieldFault = { loc: (string | number)[]; msg: string; type: string };

export class DomainError extends Error {
  readonly problem: Problem;
  /** A stable word for programs, for example `name_collision`. */
  readonly code: string | undefined;
  readonly fields: FieldFault[] | undefined;
  /** When to try again, where that is known. */
  readonly retry_after_seconds: number | undefined;

  constructor(
    problem: Problem,
    message: string,
    options: {
      code?: string;
      fields?: FieldFault[];
      retry_after_seconds?: number;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.problem = problem;
    this.code = options.code;
    this.fields = options.fields;
    this.retry_after_seconds = options.retry_after_seconds;
  }
}

/** The same words whether the thing never existed or belongs to another tenant. */
export const notFound = (what: string) => new DomainError('not_found', `${what} not found.`);

export const forbidden = (message: string, code?: string) =>
  new DomainError('forbidden', message, code === undefined ? {} : { code });

export const invalid = (message: string, code?: string) =>
  new DomainError('invalid', message, code === undefined ? {} : { code });

/** Every conflict has a code, because a program has to tell them apart. */
export const conflict = (code: string, message: string, cause?: unknown) =>
  new DomainError('conflict', message, { code, cause });

/** A 422: `fields` lists all faults at once. */
export const unprocessable = (...fields: FieldFault[]) =>
  new DomainError('unprocessable', fields.map((field) => field.msg).join(' '), { fields });

/** One fault of one field of the body, the commonest 422. */
export const badField = (field: string, msg: string, type = 'value_error') =>
  unprocessable({ loc: ['body', field], msg, type });

export const nameCollision = (name: string, cause?: unknown) =>
  conflict('name_collision', `There is already an item named "${name}" in this folder.`, cause);

export const unauthenticated = (cause?: unknown) =>
  new DomainError(
    'unauthenticated',
    'Authentication required: a Bearer token or an X-API-Key header must be provided.',
    { cause },
  );
