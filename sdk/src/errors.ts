/** Error answers of the service. */

/** One fault of a request's field; `loc` is the path to it, for example `['body', 'name']`. */
export type FieldFault = { loc: (string | number)[]; msg: string; type: string };

/** The service refused a request, or failed. If the network fails, `fetch` throws instead. */
export class ApiError extends Error {
  /** The HTTP status. */
  readonly status: number;
  /** One sentence for people; for a validation error, the messages of all fields. */
  readonly detail: string;
  /** A stable code for programs, for example `name_collision`. */
  readonly code: string | undefined;
  /** With status 500: the id of the log entry, for support. */
  readonly error_id: string | undefined;
  /** With status 422: the fields at fault, the first hundred of them. */
  readonly fields: readonly FieldFault[];

  constructor(status: number, body: unknown) {
    const { detail, code, more_faults, error_id } = (
      typeof body === 'object' && body !== null ? body : {}
    ) as {
      detail?: string | FieldFault[];
      code?: string;
      more_faults?: number;
      error_id?: string;
    };
    const fields = Array.isArray(detail) ? detail : [];
    const text = Array.isArray(detail) ? detail.map(inWords).join(' ') : detail;
    const more = more_faults ? ` There are ${more_faults} more faults.` : '';
    super(text ? text + more : `The service answered with status ${status}.`);
    this.name = 'ApiError';
    this.status = status;
    this.detail = this.message;
    this.code = code;
    this.error_id = error_id;
    this.fields = fields;
  }
}

/** A file cannot be read any more as it was: it was changed or removed while it was uploaded. */
export class FileChanged extends Error {
  constructor(options?: ErrorOptions) {
    super('The file was changed or removed while it was being uploaded.', options);
    this.name = 'FileChanged';
  }
}

/** @returns the error of an answer that is not a success. */
export async function apiError(response: Response): Promise<ApiError> {
  const text = await response.text().catch(() => '');
  return errorFromText(response.status, text);
}

/** A proxy may answer with HTML instead of JSON: then only the status is used. */
export function errorFromText(status: number, text: string): ApiError {
  try {
    return new ApiError(status, JSON.parse(text));
  } catch {
    return new ApiError(status, undefined);
  }
}

function inWords({ loc, msg }: FieldFault) {
  const field = loc.slice(1).join('.');
  return field ? `${field}: ${msg}` : msg;
}
