/**
 * Bodies that contain a graph. Small ones are parsed as usual; large ones are parsed by a thread,
 * and their graph stays text here.
 */
import type { Graph } from '@cogworks/graph/types';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { jsonReader } from '../../http/json-body.ts';
import { compileCheck } from '../../http/validation.ts';
import { openThreads, type Threads } from '../../threads.ts';
import { NewTemplate } from '../workflow-templates/schema.ts';
import { type BodyName, type GraphText, type graphWork, textOf } from './graph-work.ts';
import { DraftChange, graphBytes, NewVersion, NewWorkflow } from './schema.ts';

export type GraphThreads = Threads<typeof graphWork>;

export const openGraphThreads = (): GraphThreads =>
  openThreads<typeof graphWork>(new URL('./graph-work.ts', import.meta.url));

/** Up to this size, parsing takes the server a few milliseconds. */
const mostBytesHere = 32 * 1024;

const names = new Map<unknown, BodyName>([
  [NewWorkflow, 'NewWorkflow'],
  [NewVersion, 'NewVersion'],
  [DraftChange, 'DraftChange'],
  [NewTemplate, 'NewTemplate'],
]);

/** Bodies that a thread has parsed and checked. */
const read = new WeakSet<object>();

/** Makes threads parse large bodies for the routes of this plugin. */
export function takeGraphs(app: FastifyInstance, threads: GraphThreads): void {
  const readHere = jsonReader(app);
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, readBody);

  async function readBody(request: FastifyRequest, bytes: Buffer) {
    const name = names.get(request.routeOptions.schema?.body);
    if (name === undefined || bytes.length <= mostBytesHere) return readHere(request, bytes);
    const owner = request.caller.tenant_id;
    const { fields, graph } = await threads.run(owner, 'read', { bytes, name });
    const body = { ...fields, ...(graph ? { graph } : {}) };
    read.add(body);
    return body;
  }
}

/** Options of a route that accepts a graph. */
export const graphRoute = {
  bodyLimit: graphBytes,
  validatorCompiler: (part: { schema: unknown; httpPart?: string }) => {
    const check = compileCheck(part);
    const unlessRead = (data: unknown): boolean => {
      const isValid = read.has(data as object) || check(data);
      unlessRead.errors = isValid ? null : check.errors;
      return isValid;
    };
    unlessRead.errors = check.errors;
    return unlessRead;
  },
};

/** The graph of a checked body, parsed here or by a thread. */
export function graphOf<Body extends { graph?: unknown }>(body: Body): GraphText | undefined {
  if (body.graph === undefined) return undefined;
  return read.has(body) ? (body.graph as GraphText) : textOf(body.graph as Graph);
}
