/** Names of a container's input and output files, following the rules for cogs. */

const mostBytes = 255;

/**
 * Makes a name valid for file systems and cogs: no control characters, valid UTF-8, not too long.
 */
export function cleanName(name: string): string {
  const cleaned = name
    .normalize('NFC')
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    .replace(/[\u0000-\u001f\u007f-\u009f/]/g, '_');
  const named = cleaned === '' || cleaned === '.' || cleaned === '..' ? '_' : cleaned;
  return withSuffix(named, '');
}

/** A file's name in plain text: invalid UTF-8 and control characters as \xNN. */
export function spelledOut(name: Buffer): string {
  const text = name.toString('utf8');
  const isText = Buffer.from(text).equals(name);
  const escaped = (code: number) => `\\x${code.toString(16).padStart(2, '0')}`;
  return isText
    ? text.replace(/\p{Cc}/gu, (control) => escaped(control.charCodeAt(0)))
    : name.toString('latin1').replace(/[^ -~]/g, (byte) => escaped(byte.charCodeAt(0)));
}

/** `a.txt`, ` (2)` → `a (2).txt`; the stem is cut if the result would be too long. */
export function withSuffix(name: string, suffix: string): string {
  const dot = name.lastIndexOf('.');
  // A longer extension is considered part of the name.
  const hasExtension = dot > 0 && Buffer.byteLength(name.slice(dot)) <= 32;
  const stem = hasExtension ? name.slice(0, dot) : name;
  const tail = suffix + (hasExtension ? name.slice(dot) : '');
  return cut(stem, mostBytes - Buffer.byteLength(tail)) + tail;
}

function cut(text: string, bytes: number): string {
  if (Buffer.byteLength(text) <= bytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, bytes)));
  return text.slice(0, read);
}

/** Duplicate names get ` (2)`, ` (3)`, … before the extension; the first is unchanged. */
export function distinctNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let candidate = name;
    for (let n = 2; taken.has(candidate); n++) candidate = withSuffix(name, ` (${n})`);
    taken.add(candidate);
    return candidate;
  });
}
