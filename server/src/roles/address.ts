/** The URL by which this machine reaches a server that listens on `host` and `port`. */
export function localUrl(host: string, port: number): string {
  const name = isEverywhere(host) ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** Whether a server on `host` listens on all addresses of the machine. */
export const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::';
