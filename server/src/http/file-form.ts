/**
 * Reads multipart/form-data with one file as a stream: bytes go to storage while the client sends
 * them. Fields before the file can cause a refusal before any of its bytes is read.
 */
import multipart, { type MultipartFile } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badField, DomainError, invalid } from '../errors.ts';
import type { IncomingFile } from '../incoming-files.ts';
import { discardRest } from './late-refusal.ts';

export type Fields = Readonly<Record<string, string>>;

/** Lets the routes of this plugin accept multipart/form-data, and no JSON. */
export async function takeFileForms(app: FastifyInstance): Promise<void> {
  app.removeAllContentTypeParsers();
  await app.register(multipart, {
    limits: { files: 1, fields: 10, fieldSize: 64 * 1024, fieldNameSize: 100, headerPairs: 50 },
    throwFileSizeLimit: true,
  });
}

/**
 * Passes the part `file` to `store`, with the fields that came before it.
 *
 * @param names the known fields besides the file.
 * @returns the result of `store`, and all fields.
 * @throws DomainError 422 for an unknown or repeated field, or not exactly one file. If `store` had
 *   returned by then, the caller has to undo it.
 */
export async function readFileForm(
  request: FastifyRequest,
  names: readonly string[],
  store: (file: IncomingFile, before: Fields) => Promise<void>,
): Promise<Fields> {
  const fields: Record<string, string> = {};
  let file: MultipartFile | undefined;
  try {
    const parts = request.parts({
      preservePath: true,
      // One more than allowed, so that the error message is ours.
      limits: { files: 2, fileSize: Number.POSITIVE_INFINITY },
    });
    for await (const part of parts) {
      if (part.type === 'field') {
        if (part.fieldname === 'file') throw badField('file', 'Must be a file, not a text field.');
        if (!names.includes(part.fieldname)) throw unknownField(part.fieldname);
        if (part.fieldname in fields) throw badField(part.fieldname, 'May be given only once.');
        fields[part.fieldname] = String(part.value);
        continue;
      }
      if (part.fieldname !== 'file') throw unknownField(part.fieldname);
      if (file) throw badField('file', 'Only one file can be sent at a time.');
      file = part;
      const name = decodeQuotes(part.filename ?? '');
      const declared_type = part.mimetype;
      const expected_bytes = expectedBytes(request, part, fields);
      const incoming = { name, declared_type, expected_bytes, bytes: part.file };
      await store(incoming, { ...fields });
    }
  } catch (error) {
    file?.file.destroy();
    discardRest(request.raw);
    if (file?.file.errored === error || isMalformed(error)) {
      throw invalid('The upload is incomplete, or is not valid multipart/form-data.');
    }
    throw error;
  }
  if (!file) throw badField('file', 'This field is required.', 'required');
  return fields;
}

/**
 * The size of the file in a form that is written as browsers and curl do, and has nothing after the
 * file; 0 if the size of the form is unknown. Forms written otherwise are some bytes off.
 */
function expectedBytes({ headers }: FastifyRequest, file: MultipartFile, before: Fields): number {
  const [, quoted, plain] =
    /boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(headers['content-type'] ?? '') ?? [];
  const line = `--${quoted ?? plain ?? ''}\r\n`;
  const head = 'Content-Disposition: form-data; name=""\r\n\r\n';
  const fields = Object.entries(before).map(([name, text]) => `${line}${head}${name}${text}\r\n`);
  const type = `; filename="${file.filename}"\r\nContent-Type: ${file.mimetype}`;
  const around = `${fields.join('')}${line}${head}file${type}\r\n${line}--`;
  const length = Number(headers['content-length'] ?? 0) - Buffer.byteLength(around);
  // No database could hold the largest lengths that a client may tell.
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, length));
}

const unknownField = (name: string) =>
  badField(name, 'There is no such field.', 'additionalProperties');

/**
 * Browsers encode `"` and line breaks of a file's name like this, and nothing else (WHATWG HTML).
 */
const decodeQuotes = (name: string) =>
  name.replaceAll('%22', '"').replaceAll('%0D', '\r').replaceAll('%0A', '\n');

/** The parser's errors have no class of their own. */
function isMalformed(error: unknown) {
  return (
    error instanceof Error &&
    !(error instanceof DomainError) &&
    /^(Multipart: |Unexpected end of |Part terminated early)/.test(error.message)
  );
}
