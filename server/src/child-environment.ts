/**
 * The part of the server's environment that other programs get: where things are on this machine and
 * how to reach the network, and none of the keys, databases or passwords.
 */

const ordinary = [
  ...['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR'],
  ...['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR'],
];

/** What apt reads besides. */
export const ofApt = ['APT_CONFIG', 'ALL_PROXY', 'all_proxy', 'ftp_proxy'];

/** @param more what only this program needs. */
export function childEnvironment(
  env: NodeJS.ProcessEnv = process.env,
  more: readonly string[] = [],
): NodeJS.ProcessEnv {
  return Object.fromEntries(
    [...ordinary, ...more].flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
}
