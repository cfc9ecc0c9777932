/** Opens the export of traces, if the configuration names a collector. */
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../config.ts';
import type { Traces } from './traces.ts';

/** Undefined without an endpoint: then the libraries are not even loaded. */
export async function openTraces(
  settings: Config['traces'],
  installation: string,
  log: Pick<FastifyBaseLogger, 'warn'>,
): Promise<Traces | undefined> {
  if (!settings) return undefined;
  const { exportTraces } = await import('./exporting.ts');
  return exportTraces(settings, installation, log);
}
