/**
 * Globs of declared outputs: `*`, `?`, `[a-z]`, `[!a]`, `{a,b}`, and `**` for any folders. Globs
 * and file names come from tenants. Libraries turn globs into regular expressions that `*a*a*a*a*b`
 * can keep busy for hours; this matcher's work is bounded by the product of the lengths.
 */

type Matches = (path: string) => boolean;

const mostAlternatives = 64;

/**
 * Hidden files match only if the corresponding part of the glob begins with a dot, as in a shell.
 */
export function compileGlob(glob: string): Matches {
  const patterns = expandBraces(glob.replace(/^(\.?\/)+/, '')).map((one) => one.split('/'));
  return (path) => {
    const parts = path.split('/');
    return patterns.some((pattern) => matchParts(pattern, parts));
  };
}

export function expandBraces(glob: string): string[] {
  const done: string[] = [];
  const waiting = [glob];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const innermost = /\{([^{}]*,[^{}]*)\}/.exec(next);
    if (!innermost) {
      done.push(next);
      continue;
    }
    const [whole, inside = ''] = innermost;
    const before = next.slice(0, innermost.index);
    const after = next.slice(innermost.index + whole.length);
    for (const choice of inside.split(',').reverse()) waiting.push(before + choice + after);
    // Alternatives above this limit match nothing, so that memory stays bounded.
    if (done.length + waiting.length > mostAlternatives) break;
  }
  return done;
}

/** `**` matches any number of parts. Backtracking to the last one is enough. */
function matchParts(pattern: string[], parts: string[]): boolean {
  return matchWild(
    pattern,
    parts,
    (item) => item === '**',
    (item, part) => matchPart(item, part),
    (part) => !part.startsWith('.'),
  );
}

function matchPart(pattern: string, part: string): boolean {
  if (part.startsWith('.') && !pattern.startsWith('.')) return false;
  return matchWild(
    tokens(pattern),
    [...part],
    (item) => item === '*',
    matchCharacter,
    () => true,
  );
}

/**
 * The usual two-pointer match: on failure, backtrack to the last wildcard and let it match one
 * more.
 */
function matchWild(
  pattern: string[],
  items: string[],
  isWild: (item: string) => boolean,
  matches: (pattern: string, item: string) => boolean,
  mayTake: (item: string) => boolean,
): boolean {
  let at = 0;
  let wildAt = -1;
  let wildTook = 0;
  let index = 0;
  while (index < items.length) {
    const wanted = pattern[at];
    const item = items[index] ?? '';
    if (wanted !== undefined && isWild(wanted)) {
      wildAt = at++;
      wildTook = index;
    } else if (wanted !== undefined && matches(wanted, item)) {
      at++;
      index++;
    } else if (wildAt >= 0 && mayTake(items[wildTook] ?? '')) {
      at = wildAt + 1;
      index = ++wildTook;
    } else {
      return false;
    }
  }
  while (pattern[at] !== undefined && isWild(pattern[at] ?? '')) at++;
  return at === pattern.length;
}

/**
 * One entry per character of a name: `*`, `?`, a whole `[…]`, or a character (`\` escapes the
 * next).
 */
const tokens = (pattern: string): string[] =>
  pattern
    .match(/\\.|\[[!^]?\]?[^\]]*\]|[\s\S]/gu)
    ?.filter((t, i, all) => t !== '*' || all[i - 1] !== '*') ?? [];

function matchCharacter(token: string, character: string): boolean {
  if (token === '?') return true;
  if (token.length > 2 && token.startsWith('[')) return inClass(token.slice(1, -1), character);
  return (token.length > 1 && token.startsWith('\\') ? token.slice(1) : token) === character;
}

function inClass(inside: string, character: string): boolean {
  const negated = /^[!^]/.test(inside);
  const characters = [...(negated ? inside.slice(1) : inside)];
  let found = false;
  for (let i = 0; i < characters.length; i++) {
    const from = characters[i] ?? '';
    const isRange = characters[i + 1] === '-' && i + 2 < characters.length;
    const to = isRange ? (characters[i + 2] ?? '') : from;
    if (character >= from && character <= to) found = true;
    if (isRange) i += 2;
  }
  return found !== negated;
}
