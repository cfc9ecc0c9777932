/**
 * The part of the server's environment that its local worker gets: no keys, database or passwords.
 */

const handedOn = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'],
  ...['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS', 'CONTAINERS_REGISTRIES_CONF'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'NODE_EXTRA_CA_CERTS'],
  ...['COGWORKS_WORKER_LABELS', 'REGISTRY_ALLOW', 'EGRESS_ALLOW'],
];

/** `env` is the server's own; `added` is for the worker. `baseUrl` is the public URL. */
export function workerEnvironment(
  env: NodeJS.ProcessEnv,
  added: Record<string, string>,
  baseUrl: string | undefined,
): NodeJS.ProcessEnv {
  const kept = handedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  // With other users on this server, its loopback addresses must not be reachable for their images.
  const closed = baseUrl && !isLocal(baseUrl) ? { REGISTRY_ALLOW: '' } : {};
  return { ...closed, ...Object.fromEntries(kept), ...added };
}

const isLocal = (url: string) => /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);
