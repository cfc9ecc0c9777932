/**
 * Makes spans and sends them by OTLP over HTTP, in batches. Spans of runs and attempts are made when
 * they have ended, of what is known then; a full queue or an absent collector loses spans and
 * delays nothing. Names are those of OpenTelemetry's conventions for pipelines and HTTP.
 */
import { randomUUID } from 'node:crypto';
import {
  type Attributes,
  DiagLogLevel,
  diag,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  type TracerConfig,
} from '@opentelemetry/sdk-trace-base';
import type { FastifyBaseLogger } from 'fastify';
import {
  parseTraceparent,
  type SpanName,
  spanOfAttempt,
  spanOfContainer,
  spanOfRun,
  traceparentOf,
} from './ids.ts';
import type { TracedAttempt, TracedRun, TraceSettings, Traces } from './traces.ts';

/** A round may end a thousand attempts. */
const waitingSpans = 16_384;
const batch_ms = 2000;
const exportLimit_ms = 10_000;
const closeLimit_ms = 5000;
/** A collector that is away is told of so often. */
const betweenWarnings_ms = 60_000;

export function exportTraces(
  settings: TraceSettings,
  installation: string,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Traces {
  warnSometimes(log);
  const ids = new GivenIds();
  const sampler = new TraceIdRatioBasedSampler(settings.ratio);
  const provider = openProvider(settings, installation, { sampler, idGenerator: ids });
  const tracer = provider.getTracer('cogworks');

  const isSampled = ({ trace_id }: SpanName) =>
    sampler.shouldSample(ROOT_CONTEXT, trace_id).decision === SamplingDecision.RECORD_AND_SAMPLED;

  /** Begins a span under another one, or a trace; of a given name, or one of its own. */
  const begin = (title: string, { name, parent, at, ...options }: Beginning) =>
    ids.named(name, () =>
      tracer.startSpan(
        title,
        { ...options, ...(at && { startTime: new Date(at) }) },
        parent ? trace.setSpanContext(ROOT_CONTEXT, contextOf(parent)) : ROOT_CONTEXT,
      ),
    );

  return {
    request({ method, route, traceparent }) {
      const stranger = parseTraceparent(traceparent);
      const span = begin(`${method} ${route}`, {
        kind: SpanKind.SERVER,
        links: stranger ? [linkTo(stranger, true)] : [],
        attributes: { 'http.request.method': method, 'http.route': route },
      });
      return {
        started(runId) {
          const run = spanOfRun(installation, runId);
          span.addLink(linkTo(run));
          const links = [{ context: span.spanContext() }];
          begin('start', { parent: run, links }).end();
        },
        end(status) {
          span.setAttribute('http.response.status_code', status);
          if (status >= 500) {
            span.setAttribute('error.type', String(status));
            span.setStatus({ code: SpanStatusCode.ERROR });
          }
          span.end();
        },
        abort(status) {
          if (status !== undefined) span.setAttribute('http.response.status_code', status);
          span.setAttribute('error.type', 'aborted');
          span.end();
        },
      };
    },

    runEnded(run) {
      const name = spanOfRun(installation, run.id);
      const span = begin(`RUN workflow ${run.workflow_id}`, {
        ...{ name, at: run.created_at, kind: SpanKind.SERVER, attributes: ofRun(run) },
      });
      if (isBad(run.status)) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end(new Date(run.finished_at));
    },

    attemptEnded(attempt) {
      const { id, run_id, leased_at, started_at, finished_at } = attempt;
      const name = spanOfAttempt(installation, run_id, id);
      const run = spanOfRun(installation, run_id);
      const end = (span: ReturnType<typeof begin>) => {
        if (isBad(attempt.status)) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end(new Date(finished_at));
      };
      const attributes = ofAttempt(attempt);
      end(begin(attempt.node_key, { name, parent: run, at: leased_at, attributes }));
      if (started_at === undefined) return;
      const container = spanOfContainer(installation, run_id, id);
      end(begin('container', { name: container, parent: name, at: started_at }));
    },

    traceparentOf(runId, attemptId) {
      const name = spanOfContainer(installation, runId, attemptId);
      return traceparentOf(name, isSampled(name));
    },

    async close() {
      await provider.forceFlush({ timeoutMillis: closeLimit_ms }).catch(() => {});
      await provider.shutdown();
    },
  };
}

const openProvider = (
  { url, service }: TraceSettings,
  installation: string,
  how: Pick<TracerConfig, 'sampler' | 'idGenerator'>,
) =>
  new BasicTracerProvider({
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': service,
        'service.instance.id': randomUUID(),
        'cogworks.installation.id': installation,
      }),
    ),
    ...how,
    spanProcessors: [
      new BatchSpanProcessor(new OTLPTraceExporter({ url, timeoutMillis: exportLimit_ms }), {
        maxQueueSize: waitingSpans,
        scheduledDelayMillis: batch_ms,
        exportTimeoutMillis: exportLimit_ms,
      }),
    ],
  });

type Beginning = {
  name?: SpanName;
  parent?: SpanName;
  at?: string;
  kind?: SpanKind;
  links?: Link[];
  attributes?: Attributes;
};

/** Random ids, except for spans whose names are given. */
class GivenIds implements IdGenerator {
  readonly #random = new RandomIdGenerator();
  #given: SpanName | undefined;

  /** Names the one span that `work` begins. */
  named<T>(name: SpanName | undefined, work: () => T): T {
    this.#given = name;
    try {
      return work();
    } finally {
      this.#given = undefined;
    }
  }

  generateTraceId = () => this.#given?.trace_id ?? this.#random.generateTraceId();
  generateSpanId = () => this.#given?.span_id ?? this.#random.generateSpanId();
}

const contextOf = ({ trace_id, span_id }: SpanName, isRemote = false): SpanContext => ({
  traceId: trace_id,
  spanId: span_id,
  traceFlags: TraceFlags.SAMPLED,
  isRemote,
});

const linkTo = (name: SpanName, isRemote = false): Link => ({ context: contextOf(name, isRemote) });

const ofRun = ({ id, workflow_id, status }: TracedRun): Attributes => ({
  'cicd.pipeline.name': `workflow ${workflow_id}`,
  'cicd.pipeline.run.id': String(id),
  'cicd.pipeline.result': resultOf(status),
  ...(isBad(status) && { 'error.type': status }),
});

const ofAttempt = (attempt: TracedAttempt): Attributes => ({
  'cicd.pipeline.run.id': String(attempt.run_id),
  'cicd.pipeline.task.name': attempt.node_key,
  'cicd.pipeline.task.run.id': String(attempt.node_run_id),
  'cicd.pipeline.task.run.result': resultOf(attempt.status),
  'cicd.worker.id': String(attempt.worker_id),
  'cogworks.attempt.number': attempt.number,
  ...(attempt.error_class !== undefined && { 'error.type': attempt.error_class }),
});

const isBad = (status: string): boolean => ['failure', 'partial_success', 'lost'].includes(status);

/** In the words of the conventions. */
function resultOf(status: string): string {
  if (status === 'cancelled') return 'cancellation';
  return status === 'lost' ? 'error' : isBad(status) ? 'failure' : status;
}

/** Of a collector that does not answer, once in a while: it is tried again with every batch. */
function warnSometimes(log: Pick<FastifyBaseLogger, 'warn'>) {
  let quietUntil = 0;
  const warn = (message: string, ...details: unknown[]) => {
    if (performance.now() < quietUntil) return;
    quietUntil = performance.now() + betweenWarnings_ms;
    log.warn({ details: details.map(String) }, `traces: ${message}`);
  };
  const silent = () => {};
  const logger = { error: warn, warn, info: silent, debug: silent, verbose: silent };
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
}
