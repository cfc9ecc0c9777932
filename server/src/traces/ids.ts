/**
 * Ids of traces, derived from those of runs and attempts: every process of an installation names
 * the same thing alike, so nothing of traces has to be stored. Pure.
 */
import { createHash } from 'node:crypto';

/** A place in a trace, as `traceparent` names it. */
export type SpanName = { trace_id: string; span_id: string };

const hash = (...parts: (string | number)[]): string =>
  createHash('sha256').update(parts.join('\n')).digest('hex');

/** A run is a trace of its own. */
export const spanOfRun = (installation: string, runId: number): SpanName => ({
  trace_id: hash(installation, 'run', runId).slice(0, 32),
  span_id: hash(installation, 'span of run', runId).slice(0, 16),
});

export const spanOfAttempt = (installation: string, runId: number, id: number): SpanName => ({
  trace_id: spanOfRun(installation, runId).trace_id,
  span_id: hash(installation, 'span of attempt', id).slice(0, 16),
});

/** From the start of an attempt's container to its end; the parent of what the container traces. */
export const spanOfContainer = (installation: string, runId: number, id: number): SpanName => ({
  trace_id: spanOfRun(installation, runId).trace_id,
  span_id: hash(installation, 'span of container', id).slice(0, 16),
});

/** A header of W3C Trace Context; undefined for anything else. */
export function parseTraceparent(header: string | undefined): SpanName | undefined {
  const [, version, trace_id = '', span_id = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(?:-.*)?$/.exec(header ?? '') ?? [];
  const isValid = version !== undefined && version !== 'ff' && /[^0]/.test(trace_id);
  return isValid && /[^0]/.test(span_id) ? { trace_id, span_id } : undefined;
}

export const traceparentOf = ({ trace_id, span_id }: SpanName, isSampled: boolean): string =>
  `00-${trace_id}-${span_id}-${isSampled ? '01' : '00'}`;
