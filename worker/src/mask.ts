/**
 * Takes secrets out of a stream of bytes: as they are, JSON-escaped, URL-encoded, and in base64
 * at each of its three alignments; also where a secret is cut in two by the chunks it comes in.
 */
const shortest = 6;
const stars = Buffer.from('***');

export type Mask = {
  /** The bytes that can be shown so far; a tail that may begin a secret is kept back. */
  push(chunk: Buffer): Buffer;
  end(): Buffer;
};

export function maskSecrets(secrets: string[]): Mask {
  const needles = [
    ...new Set(secrets.filter((secret) => secret.length >= shortest).flatMap(formsOf)),
  ]
    .map((form) => Buffer.from(form))
    .sort((a, b) => b.length - a.length);
  let kept = Buffer.alloc(0);

  return {
    push: (chunk) => {
      if (needles.length === 0) return chunk;
      const bytes = Buffer.concat([kept, chunk]);
      const shown = decided(bytes, needles);
      kept = Buffer.from(bytes.subarray(shown));
      return replaceAll(bytes.subarray(0, shown), needles);
    },
    end: () => {
      const rest = kept;
      kept = Buffer.alloc(0);
      return replaceAll(rest, needles);
    },
  };
}

/**
 * How many bytes can be shown whatever comes after them. No more is kept back than may begin a
 * secret: a program that has said something and is silent since is to be read while it runs.
 */
function decided(bytes: Buffer, needles: Buffer[]): number {
  const longest = needles[0]?.length ?? 0;
  let end = bytes.length;
  for (let at = Math.max(0, end - longest + 1); at < bytes.length; at += 1) {
    const tail = bytes.subarray(at);
    if (!needles.some((needle) => needle.subarray(0, tail.length).equals(tail))) continue;
    end = at;
    break;
  }
  // Nor may the cut go through a secret that is all there; moved back it may meet another one.
  for (let moved = true; moved; ) {
    moved = false;
    for (const needle of needles) {
      const at = bytes.indexOf(needle, Math.max(0, end - needle.length + 1));
      if (at >= 0 && at < end && at + needle.length > end) {
        end = at;
        moved = true;
      }
    }
  }
  return end;
}

/** The ways a program usually writes a secret. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Base64 takes three bytes at a time, so what stands before shifts it; the ends, which mix
  // with neighbours, are left off.
  const shifted = [0, 1, 2].map((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    return text.slice(shift === 0 ? 0 : shift + 1, text.length - 1);
  });
  const lines = secret.split('\n').filter((line) => line.length >= shortest);
  const forms = [
    secret,
    ...lines,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    ...shifted,
  ];
  return forms.filter((form) => form.length >= shortest);
}

function replaceAll(bytes: Buffer, needles: Buffer[]): Buffer {
  let result = bytes;
  for (const needle of needles) {
    let from = 0;
    const parts: Buffer[] = [];
    for (let at = result.indexOf(needle, from); at >= 0; at = result.indexOf(needle, from)) {
      parts.push(result.subarray(from, at), stars);
      from = at + needle.length;
    }
    if (parts.length > 0) result = Buffer.concat([...parts, result.subarray(from)]);
  }
  return result;
}
