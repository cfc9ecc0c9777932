import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, describe, it } from 'node:test';
import { filesOf, run, stage, versionOf } from '../../test/runs.ts';
import { startServer } from '../../test/server.ts';
import { until } from '../../test/until.ts';
import { mappedGraph, registerNode } from '../../test/workflows.ts';
import { parseTraceparent } from './ids.ts';

type Attribute = { key: string; value: { stringValue?: string; intValue?: number } };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  links: { traceId: string; spanId: string }[];
  status: { code: number };
};

/** A collector that speaks OTLP by HTTP and keeps what it gets. */
async function collector() {
  const spans: Span[] = [];
  const processes: Pick<Span, 'attributes'>[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    assert.equal(request.url, '/v1/traces');
    const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString());
    for (const { resource, scopeSpans } of resourceSpans) {
      processes.push(resource);
      for (const scope of scopeSpans) spans.push(...scope.spans);
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, spans, processes };
}

const attribute = ({ attributes }: Pick<Span, 'attributes'>, key: string) => {
  const value = attributes.find((one) => one.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
};

describe('traces', () => {
  it('lead from a request to its run, and from there to each container', async () => {
    const { url, spans } = await collector();
    const server = await startServer({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    const { owner, worker } = await stage(server);
    const graph = mappedGraph(await registerNode(owner));
    const version = await versionOf(owner, graph);
    const stranger = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16) };
    const traceparent = `00-${stranger.traceId}-${stranger.spanId}-01`;
    const headers = { traceparent, 'idempotency-key': 'one' };
    const cog_ids = await filesOf(owner, 'good.txt', 'bad.txt');
    const start = () =>
      owner.post(`/workflows/workflow-versions/${version}/run`, { cog_ids }, { headers });
    const { body } = await start();
    assert.deepEqual((await start()).body, body, 'A repeated request starts nothing.');
    const [good, bad] = await worker.acquire();
    await worker.started(good);
    await worker.succeed(good);
    await worker.fail(bad, { error_class: 'exit_nonzero', exit_code: 1 });
    await server.services.traces?.close();

    const named = (name: string) => spans.filter((span) => span.name === name);
    const [ofRun] = spans.filter(({ name }) => name.startsWith('RUN '));
    const [request, repeated] = named('POST /workflows/workflow-versions/:version_id/run');
    const [started, ...more] = named('start');
    assert.ok(ofRun && request && repeated && started);
    assert.deepEqual(more, []);
    assert.equal(attribute(ofRun, 'cicd.pipeline.run.id'), String(body.workflow_run_id));
    assert.equal(attribute(ofRun, 'cicd.pipeline.result'), 'failure');

    // Each in a trace of its own, and linked.
    const places = (links: Span['links']) =>
      links.map(({ traceId, spanId }) => ({ traceId, spanId }));
    const placeOf = ({ traceId, spanId }: Span) => ({ traceId, spanId });
    assert.equal(new Set([stranger, request, ofRun].map(({ traceId }) => traceId)).size, 3);
    assert.deepEqual(places(request.links), [stranger, placeOf(ofRun)]);
    assert.deepEqual(places(repeated.links), [stranger]);
    assert.deepEqual(places(started.links), [placeOf(request)]);
    assert.equal(started.parentSpanId, ofRun.spanId);

    const attempts = named('each');
    assert.equal(attempts.length, 2);
    for (const attempt of attempts) {
      assert.equal(attempt.traceId, ofRun.traceId);
      assert.equal(attempt.parentSpanId, ofRun.spanId);
      assert.equal(attribute(attempt, 'cicd.worker.id'), String(worker.id));
      assert.ok(BigInt(attempt.startTimeUnixNano) <= BigInt(attempt.endTimeUnixNano));
    }
    assert.deepEqual(attempts.map((attempt) => attribute(attempt, 'error.type')).filter(Boolean), [
      'exit_nonzero',
    ]);
    // What a container traces is below its own span.
    const containers = named('container');
    assert.deepEqual(
      [good, bad].map(({ env }) => env.TRACEPARENT).toSorted(),
      containers.map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`).toSorted(),
    );
    assert.deepEqual(
      containers.map(({ parentSpanId }) => parentSpanId).toSorted(),
      attempts.map(({ spanId }) => spanId).toSorted(),
    );
  });

  it('have the runs that end as they begin, however they were started', async () => {
    const { url, spans } = await collector();
    const server = await startServer({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    const { owner } = await stage(server);
    const never = { when: 'file.name == "none"' };
    const version = await versionOf(owner, mappedGraph(await registerNode(owner), never));
    const cog_ids = await filesOf(owner, 'some.txt');
    const path = `/workflows/workflow-versions/${version}/run`;
    const headers = { 'idempotency-key': 'ends' };

    const started = [
      await owner.post(path, { cog_ids }),
      await owner.post(path, { cog_ids }, { headers }),
    ];
    await server.services.traces?.close();

    const ended = spans.filter(({ name }) => name.startsWith('RUN '));
    assert.deepEqual(
      ended.map((span) => attribute(span, 'cicd.pipeline.run.id')).toSorted(),
      started.map(({ body }) => String(body.workflow_run_id)).toSorted(),
    );
  });

  it('have requests whose clients went away, and name the process and the installation', async () => {
    const { url, spans, processes } = await collector();
    const server = await startServer({ OTEL_EXPORTER_OTLP_ENDPOINT: url });
    const other = await startServer({ OTEL_EXPORTER_OTLP_ENDPOINT: url }, undefined, {
      beside: server,
    });
    for (const { url: at } of [server, other]) {
      const type = 'application/json';
      const headers = { expect: '100-continue', 'content-type': type, 'content-length': 1000 };
      const asked = request(`${at}/auth/refresh-token`, { method: 'POST', headers });
      asked.on('error', () => {});
      // The server has begun with it, and waits for its body.
      asked.on('continue', () => asked.destroy()).flushHeaders();
    }

    const aborted = await until('both are traced', () => {
      const found = spans.filter((span) => attribute(span, 'error.type') === 'aborted');
      return found.length === 2 && found;
    });

    for (const span of aborted) assert.equal(span.name, 'POST /auth/refresh-token');
    const ids = (key: string) => new Set(processes.map((one) => attribute(one, key)));
    assert.equal(ids('service.instance.id').size, 2);
    assert.equal(ids('cogworks.installation.id').size, 1);
  });

  it('are not made unless they are sent somewhere', async () => {
    const { server, owner, worker } = await stage();
    const version = await versionOf(owner, mappedGraph(await registerNode(owner)));
    await run(owner, version, { cog_ids: await filesOf(owner, 'x.txt') });
    const [order] = await worker.acquire();
    assert.equal(server.services.traces, undefined);
    assert.equal(order.env.TRACEPARENT, undefined);
  });
});

describe('a traceparent', () => {
  it('is one of the standard, or none', () => {
    const [trace_id, span_id] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
    assert.deepEqual(parseTraceparent(`00-${trace_id}-${span_id}-00`), { trace_id, span_id });
    assert.deepEqual(parseTraceparent(`01-${trace_id}-${span_id}-01-more`), { trace_id, span_id });
    for (const wrong of [
      undefined,
      '',
      `ff-${trace_id}-${span_id}-01`,
      `00-${'0'.repeat(32)}-${span_id}-01`,
      `00-${trace_id}-${'0'.repeat(16)}-01`,
      `00-${trace_id.toUpperCase()}-${span_id}-01`,
    ])
      assert.equal(parseTraceparent(wrong), undefined);
  });
});
