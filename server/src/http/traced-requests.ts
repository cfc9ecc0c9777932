/** A span for each request of users and of senders of webhooks, with a link to the run it starts. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { RequestSpan, Traces } from '../traces/traces.ts';

/** Frequent calls of machines, of which nobody asks for a trace. */
const untraced = ['none', 'heartbeat', 'worker'];

export function traceRequests(app: FastifyInstance, traces: Traces | undefined): void {
  if (!traces) return;
  const spans = new WeakMap<FastifyRequest, RequestSpan>();

  app.addHook('onRequest', async (request, reply) => {
    const { url: route, config } = request.routeOptions;
    if (route === undefined || untraced.includes(config?.limit ?? 'default')) return;
    const { traceparent } = request.headers;
    const span = traces.request({
      method: request.method,
      route,
      traceparent: typeof traceparent === 'string' ? traceparent : undefined,
    });
    spans.set(request, span);
    const { raw } = reply;
    raw.once('close', () => {
      if (raw.writableFinished) return;
      spans.delete(request);
      span.abort(raw.headersSent ? raw.statusCode : undefined);
    });
  });

  app.addHook('preSerialization', async (request, reply, payload) => {
    const runId = (payload as { workflow_run_id?: unknown } | null)?.workflow_run_id;
    // Another status, or this header, is the answer to a request that was repeated.
    const isFirst = reply.statusCode === 202 && !reply.hasHeader('idempotent-replay');
    if (request.method === 'POST' && isFirst && typeof runId === 'number')
      spans.get(request)?.started(runId);
    return payload;
  });

  app.addHook('onResponse', async (request, reply) => {
    spans.get(request)?.end(reply.statusCode);
  });
}
