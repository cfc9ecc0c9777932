/** Parses ECMAScript patterns (flag u) into pieces; see pattern.ts. */
export type Piece =
  | { kind: 'character'; test: (character: string) => boolean }
  | { kind: 'assert'; test: (before: string | undefined, after: string | undefined) => boolean }
  | { kind: 'sequence'; pieces: Piece[] }
  | { kind: 'choice'; choices: Piece[] }
  | { kind: 'repeat'; piece: Piece; min: number; max: number };

type Reader = { source: string; at: number };

class Unsupported extends Error {}

export function parsePattern(source: string): { piece: Piece } | { fault: string } {
  try {
    // The runtime validates the grammar; the code below only has to find the pieces.
    new RegExp(source, 'u');
    return { piece: readChoice({ source, at: 0 }) };
  } catch (error) {
    if (error instanceof Unsupported) return { fault: error.message };
    return { fault: 'The pattern is not a regular expression.' };
  }
}

function readChoice(reader: Reader): Piece {
  const choices = [readSequence(reader)];
  while (take(reader, /\|/uy)) choices.push(readSequence(reader));
  return { kind: 'choice', choices };
}

function readSequence(reader: Reader): Piece {
  const pieces: Piece[] = [];
  while (reader.at < reader.source.length && !/[|)]/u.test(reader.source.charAt(reader.at))) {
    pieces.push(readRepeat(reader, readAtom(reader)));
  }
  return { kind: 'sequence', pieces };
}

function readRepeat(reader: Reader, piece: Piece): Piece {
  const quantifier = take(reader, /(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/uy);
  if (!quantifier) return piece;

  const unbounded = Number.POSITIVE_INFINITY;
  const [text, from = '', comma, to] = quantifier;
  if (text.startsWith('*')) return { kind: 'repeat', piece, min: 0, max: unbounded };
  if (text.startsWith('+')) return { kind: 'repeat', piece, min: 1, max: unbounded };
  if (text.startsWith('?')) return { kind: 'repeat', piece, min: 0, max: 1 };
  const max = to ? Number(to) : comma ? unbounded : Number(from);
  return { kind: 'repeat', piece, min: Number(from), max };
}

function readAtom(reader: Reader): Piece {
  if (take(reader, /\((?:\?:|\?<[^=!>]+>|(?!\?))/uy)) {
    const piece = readChoice(reader);
    reader.at++;
    return piece;
  }
  if (take(reader, /\(/uy)) throw new Unsupported('The pattern looks ahead or behind.');
  if (take(reader, /\\(?:[1-9]|k)/uy)) throw new Unsupported('The pattern refers to its groups.');

  if (take(reader, /\^/uy)) return { kind: 'assert', test: (before) => before === undefined };
  if (take(reader, /\$/uy)) return { kind: 'assert', test: (_, after) => after === undefined };
  if (take(reader, /\\b/uy)) return { kind: 'assert', test: (a, b) => isWord(a) !== isWord(b) };
  if (take(reader, /\\B/uy)) return { kind: 'assert', test: (a, b) => isWord(a) === isWord(b) };

  const set = take(reader, /\[(?:\\.|[^\]\\])*\]|\.|\\(?:[pP]\{[^}]*\}|[dDsSwW])/uy);
  if (set) return oneOf(set[0]);
  const escaped = take(
    reader,
    /\\(?:u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c.|.)/uy,
  );
  if (escaped) return oneOf(escaped[0]);
  const literal = take(reader, /./suy)?.[0];
  return { kind: 'character', test: (character) => character === literal };
}

/** The runtime also decides which characters a class matches. */
function oneOf(source: string): Piece {
  const single = new RegExp(`^${source}$`, 'u');
  return { kind: 'character', test: (character) => single.test(character) };
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /^\w$/u.test(character);
}

function take(reader: Reader, wanted: RegExp): RegExpExecArray | null {
  wanted.lastIndex = reader.at;
  const found = wanted.exec(reader.source);
  if (found) reader.at = wanted.lastIndex;
  return found;
}
