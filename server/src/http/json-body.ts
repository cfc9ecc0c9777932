/** JSON bodies, measured before they are parsed. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { mostValues, refusalOf } from '../json-text.ts';

/**
 * For routes with small bodies: enough for a list of ten thousand parts, and half as much again.
 */
const mostOrdinaryValues = 50_000;
const ordinaryBytes = 1024 * 1024;

/** Accepts only JSON bodies; a slice that needs another type registers its own parser. */
export function takeJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, jsonReader(app));
}

/** @throws DomainError 400, 413 or 422 */
export function jsonReader(app: FastifyInstance) {
  const parse = app.getDefaultJsonParser('error', 'error');
  return (request: FastifyRequest, bytes: Buffer): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const { bodyLimit, config } = request.routeOptions;
      const usual = bodyLimit <= ordinaryBytes ? mostOrdinaryValues : mostValues;
      const refusal = refusalOf(bytes, config.values ?? usual);
      if (refusal) return reject(refusal);
      parse(request, bytes.toString(), (error, body) => (error ? reject(error) : resolve(body)));
    });
}
