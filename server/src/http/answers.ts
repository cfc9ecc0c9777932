/** Writes answers as JSON by the schema of their route: only what it names leaves the service. */
import fastJsonStringify, { type Schema } from 'fast-json-stringify';
import type { FastifyInstance } from 'fastify';
import { lazily } from './lazily.ts';

/**
 * Each writer is compiled with the first answer of its kind: for all routes at once that took a third
 * of a server's start.
 */
export function writeAnswers(app: FastifyInstance): void {
  app.setSerializerCompiler(({ schema }) => {
    const writer = lazily(() => fastJsonStringify(schema as Schema));
    return (answer) => writer()(answer);
  });
}
