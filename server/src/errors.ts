/** Domain errors. Only http/ knows their HTTP statuses. */

export type Problem =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'conflict'
  | 'gone'
  | 'precondition_failed'
  | 'too_large'
  | 'unsupported_media_type'
  | 'range_not_satisfiable'
  | 'unprocessable'
  | 'locked'
  | 'precondition_required'
  | 'too_many_requests'
  | 'damaged'
  | 'bad_gateway'
  | 'storage_full'
  | 'unavailable';

/**
 * Maximum number of faults in an answer. A full list could be a hundred times as large as the
 * request, and nobody reads more at once.
 */
export const mostFaults = 100;

/** One fault of a request's field; `loc` is the path to it, for example `['body', 'name']`. */
export type FieldFault = { loc: (string | number)[]; msg: string; type: string };

/** A limit of the tenant's that a request would have exceeded. */
export type QuotaUse = {
  quota: 'storage' | 'seats';
  limit: number;
  used: number;
  /** Taken by what is under way. */
  reserved?: number;
  requested: number;
};

export class DomainError extends Error {
  readonly problem: Problem;
  /** A stable code for programs, for example `name_collision`. */
  readonly code: string | undefined;
  readonly fields: FieldFault[] | undefined;
  /** How many faults `fields` leaves out. */
  readonly more_faults: number;
  /** When to try again, if known. */
  readonly retry_after_seconds: number | undefined;
  /** For server errors: the id of the log entry, for support. */
  readonly error_id: string | undefined;
  readonly quota: QuotaUse | undefined;

  constructor(
    problem: Problem,
    message: string,
    options: {
      code?: string;
      fields?: FieldFault[];
      error_id?: string;
      more_faults?: number;
      retry_after_seconds?: number;
      quota?: QuotaUse;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.problem = problem;
    this.code = options.code;
    this.fields = options.fields?.slice(0, mostFaults);
    const cut = Math.max(0, (options.fields?.length ?? 0) - mostFaults);
    this.more_faults = cut + (options.more_faults ?? 0);
    this.retry_after_seconds = options.retry_after_seconds;
    this.error_id = options.error_id;
    this.quota = options.quota;
  }
}

const longestText = 1000;

/** Shortens a quote from a request, which may be megabytes. */
export const shortenedText = (text: string) =>
  text.length <= longestText ? text : `${text.slice(0, longestText - 1).toWellFormed()}…`;

/** What does not exist, in users' words. */
const missing = {
  'API key': 'There is no such API key, or it was revoked.',
  Attempt: 'There is no such attempt.',
  Cog: 'There is no such file or folder, or you may not see it.',
  Delivery: 'There is no such delivery.',
  'Download URL': 'There is no such download URL, or it has ended.',
  Folder: 'There is no such folder, or you may not see it.',
  Invitation: 'There is no such invitation, or it has ended.',
  'Node definition': 'There is no such node definition.',
  'Node run': 'There is no such step in this run.',
  Notice: 'There is no such notice.',
  Object: 'There are no such stored bytes.',
  Path: 'There is nothing at this address.',
  Permission: 'There is no such permission, or you may not see it.',
  Sample: 'This template has no such sample.',
  Secret: 'There is no such secret.',
  Session: 'There is no such session, or it has ended.',
  Template: 'There is no such template.',
  Tenant: 'There is no such organization.',
  Trigger: 'There is no such trigger.',
  Upload: 'There is no such upload, or it is not yours.',
  User: 'There is no such active user.',
  Version: 'There is no such version of this file.',
  Worker: 'There is no such worker.',
  Workflow: 'There is no such workflow.',
  'Workflow run': 'There is no such run.',
  'Workflow version': 'There is no such version of a workflow.',
};

/** The same message whether it never existed or belongs to another tenant. */
export const notFound = (what: keyof typeof missing) => new DomainError('not_found', missing[what]);

/** For something that existed and was removed by a rule; only for users who could see it. */
export const gone = (message: string, code: string) => new DomainError('gone', message, { code });

export const forbidden = (message: string, code?: string) =>
  new DomainError('forbidden', message, code === undefined ? {} : { code });

/** The tenant has no room for what was asked for. */
export const quotaExceeded = (message: string, quota: QuotaUse) =>
  new DomainError('forbidden', message, { code: 'quota_exceeded', quota });

export const invalid = (message: string, code?: string) =>
  new DomainError('invalid', message, code === undefined ? {} : { code });

/** Every conflict has a code, so that programs can tell them apart. */
export const conflict = (code: string, message: string, cause?: unknown) =>
  new DomainError('conflict', message, { code, cause });

/** A 422: `fields` lists all faults at once. */
export const unprocessable = (...fields: FieldFault[]) => unprocessableFor(fields);

/**
 * The same for a list that may be long: a hundred thousand arguments would overflow the stack.
 *
 * @param more_faults how many there are besides these.
 */
export const unprocessableFor = (fields: FieldFault[], more_faults = 0) =>
  new DomainError(
    'unprocessable',
    fields
      .slice(0, mostFaults)
      .map((field) => field.msg)
      .join(' '),
    { fields, more_faults },
  );

/** One fault of one field of the body, the most common 422. */
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
