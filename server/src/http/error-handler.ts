/** Turns errors into HTTP answers. The only place that knows status codes. */
import { randomUUID } from 'node:crypto';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { canBeRepeated, sqlState } from '../db/connection.ts';
import { databaseTrouble, type Trouble } from '../db/trouble.ts';
import { DomainError, type FieldFault, notFound, type Problem, shortenedText } from '../errors.ts';
import type { Metrics } from '../metrics.ts';
import { challengeOf } from './access.ts';
import { schemaError } from './schema-faults.ts';

export const statusOf: Record<Problem, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  range_not_satisfiable: 416,
  unprocessable: 422,
  locked: 423,
  precondition_required: 428,
  too_many_requests: 429,
  damaged: 500,
  bad_gateway: 502,
  storage_full: 507,
  unavailable: 503,
};

export function handleErrors(
  app: FastifyInstance,
  { quotaRefusals }: Pick<Metrics, 'quotaRefusals'>,
): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const known =
      error instanceof DomainError ? error : (fromDatabase(error) ?? fromFastify(error));
    const quota = known?.code === 'insufficient_credits' ? 'credits' : known?.quota?.quota;
    if (quota) quotaRefusals.inc({ quota });
    if (known?.code?.endsWith('_away')) request.log.warn({ err: known.cause }, known.message);
    return known ? answer(request, reply, known) : answerUnforeseen(request, reply, error);
  });
  app.setNotFoundHandler((request, reply) => answer(request, reply, notFound('Path')));
}

/** Of an address that no route is looked for: it cannot be decoded, or a part of it is too long. */
export function answerBadAddress(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  const isLong = error.code === 'FST_ERR_MAX_PARAM_LENGTH';
  return answer(
    request,
    reply,
    isLong
      ? notFound('Path')
      : new DomainError('invalid', 'The address is not percent-encoded as a URL is.'),
  );
}

function answer(request: FastifyRequest, reply: FastifyReply, error: DomainError) {
  if (error.problem === 'unauthenticated') reply.header('www-authenticate', challengeOf(request));
  if (error.retry_after_seconds !== undefined)
    reply.header('retry-after', error.retry_after_seconds);
  return reply
    .code(statusOf[error.problem])
    .type('application/json; charset=utf-8')
    .send(bodyOf(error));
}

const bodyOf = (error: DomainError) => ({
  detail: error.problem === 'unprocessable' ? error.fields?.map(shortened) : error.message,
  ...(error.code === undefined ? {} : { code: error.code }),
  ...(error.more_faults === 0 ? {} : { more_faults: error.more_faults }),
  ...(error.error_id === undefined ? {} : { error_id: error.error_id }),
  ...error.quota,
});

/** The error of one item of a request with many, as if it had been a request of its own. */
export function itemError(request: FastifyRequest, error: unknown) {
  const known = error instanceof DomainError ? error : fromDatabase(error);
  if (known) return { status: statusOf[known.problem], ...bodyOf(known) };
  return { status: 500, ...unforeseen(request, error) };
}

/** A key of a body can be as long as the body, and appears in the path of every fault below it. */
const shortened = ({ loc, msg, type }: FieldFault): FieldFault => ({
  loc: loc.map((part) => (typeof part === 'string' ? shortenedText(part) : part)),
  msg: shortenedText(msg),
  type,
});

function answerUnforeseen(request: FastifyRequest, reply: FastifyReply, error: Error) {
  return reply.code(500).type('application/json; charset=utf-8').send(unforeseen(request, error));
}

/** Tells the caller nothing internal; the log has the details, under the id in the answer. */
function unforeseen(request: FastifyRequest, error: unknown) {
  const error_id = randomUUID();
  request.log.error({ err: error, error_id }, 'request failed unexpectedly');
  return {
    detail:
      'Something went wrong on our side. Try again. If it happens again, give support the error_id.',
    error_id,
  };
}

/** The limits of db/pools.ts. All was rolled back. */
const tooBusy = new Set([
  '57014', // statement_timeout
  '55P03', // lock_timeout
  '25P03', // idle_in_transaction_session_timeout
  '53300', // too many connections
]);

const troubles: Record<Trouble, (cause: unknown) => DomainError> = {
  away: (cause) =>
    new DomainError(
      'unavailable',
      'The database does not answer at the moment. Try again in a few seconds.',
      { code: 'database_away', retry_after_seconds: 5, cause },
    ),
  full: (cause) =>
    new DomainError(
      'storage_full',
      "The disk of the server's database is full, so nothing can be changed. Ask whoever runs this server to make room.",
      { code: 'storage_full', cause },
    ),
};

/** PostgreSQL text holds every character except U+0000; no schema of ours says so. */
function fromDatabase(error: unknown): DomainError | undefined {
  const trouble = databaseTrouble(error);
  if (trouble) return troubles[trouble](error);
  const state = sqlState(error);
  if (state === undefined) return undefined;
  if (state === '22021' || state === '22P05') {
    return new DomainError('invalid', 'Text must not contain the character U+0000.');
  }
  if (!tooBusy.has(state) && !canBeRepeated(error)) return undefined;
  return new DomainError(
    'unavailable',
    'This took too long and was stopped. Nothing was changed; try again in a moment.',
    { code: 'took_too_long', retry_after_seconds: 5, cause: error },
  );
}

/** Words refusals of Fastify and its plugins as ours. */
function fromFastify(error: FastifyError): DomainError | undefined {
  if (error.validation) {
    const where = error.validationContext ?? 'body';
    return schemaError(where, error.validation);
  }
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_JSON_BODY':
      return new DomainError('invalid', 'The body is not valid JSON.');
    case 'FST_ERR_CTP_EMPTY_JSON_BODY':
      return new DomainError('invalid', 'The body is empty. Send JSON.');
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
    case 'FST_REQ_FILE_TOO_LARGE':
      return new DomainError('too_large', 'The request body is too large.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_INVALID_MULTIPART_CONTENT_TYPE':
      return new DomainError(
        'unsupported_media_type',
        'Send application/json, or multipart/form-data where a file is uploaded.',
      );
    default:
      break;
  }
  // Other client errors of the HTTP layer (bad URL encoding, wrong length …).
  const status = error.statusCode ?? 500;
  return status >= 400 && status < 500 ? new DomainError('invalid', error.message) : undefined;
}
