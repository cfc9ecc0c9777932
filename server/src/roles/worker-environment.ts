/**
 * The part of the server's environment that its local worker gets: no keys, database or passwords.
 */
import { childEnvironment } from '../child-environment.ts';

const ofWorkers = [
  ...['CONTAINERS_REGISTRIES_CONF', 'NODE_EXTRA_CA_CERTS'],
  // Where Node keeps compiled code: without it a worker starts in twice the time.
  'NODE_COMPILE_CACHE',
  ...['COGWORKS_WORKER_LABELS', 'REGISTRY_ALLOW', 'EGRESS_ALLOW'],
];

/** `env` is the server's own; `added` is for the worker. `baseUrl` is the public URL. */
export function workerEnvironment(
  env: NodeJS.ProcessEnv,
  added: Record<string, string>,
  baseUrl: string | undefined,
): NodeJS.ProcessEnv {
  const kept = childEnvironment(env, ofWorkers);
  // With other users on this server, its loopback addresses must not be reachable for their images.
  const closed = baseUrl && !isLocal(baseUrl) ? { REGISTRY_ALLOW: '' } : {};
  // It calls the server directly, but images have the name of the public URL.
  const own = baseUrl ? { COGWORKS_REGISTRY: new URL(baseUrl).origin } : {};
  return { ...closed, ...own, ...kept, ...added };
}

const isLocal = (url: string) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
