/** Small forms as bodies, for routes that take JSON as well: text fields, and no files. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badField, invalid } from '../errors.ts';

/**
 * Lets the routes of this plugin accept the fields of a form as their body.
 *
 * @param numbers the fields that are whole numbers: a form has only text.
 */
export function takeFormFields(app: FastifyInstance, numbers: readonly string[]): void {
  app.addContentTypeParser<Buffer>(
    ['application/x-www-form-urlencoded', 'multipart/form-data'],
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, bytes: Buffer) =>
      readFields(headers['content-type'] ?? '', bytes, numbers),
  );
}

/** @throws DomainError 400 unless it is a form; 422 for a file, or a field that comes twice. */
async function readFields(type: string, bytes: Buffer, numbers: readonly string[]) {
  const fields = new Map<string, string | number>();
  for (const [name, value] of await entriesOf(type, bytes)) {
    if (typeof value !== 'string') throw badField(name, 'Must be a text, not a file.');
    if (fields.has(name)) throw badField(name, 'May be given only once.');
    const isNumber = numbers.includes(name) && /^\d{1,15}$/.test(value);
    fields.set(name, isNumber ? Number(value) : value);
  }
  return Object.fromEntries(fields);
}

/** More than any of our forms has. Parsing takes most of its time for each field. */
const mostFields = 50;

async function entriesOf(type: string, bytes: Buffer): Promise<[string, unknown][]> {
  const mark = type.startsWith('multipart/') ? /content-disposition:/gi : /&/g;
  const separators = bytes.toString('latin1').match(mark)?.length ?? 0;
  if (separators > mostFields) throw invalid(`A form has at most ${mostFields} fields.`);
  const form = new Response(new Uint8Array(bytes), { headers: { 'content-type': type } });
  const read = await form.formData().catch(() => {
    throw invalid('This is not a valid form.');
  });
  return [...read.entries()];
}
