/** The command that makes a machine a worker. Pure. */

type Given = { url: string; token: string; name: string };

export const enrolCommand = ({ url, token, name }: Given): string =>
  [
    `COGWORKS_URL=${url} \\`,
    `COGWORKS_ENROLLMENT_TOKEN=${token} \\`,
    `npm run worker${name === '' ? '' : ` -- --name ${quoted(name)}`}`,
  ].join('\n');

/** As a shell reads it back, whatever is in it. */
const quoted = (text: string) =>
  /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** Whether the address leads elsewhere on every other machine. */
export const isOnlyHere = (hostname: string): boolean =>
  /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
