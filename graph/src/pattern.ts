/**
 * Users' regular expressions, matched in time linear in the text.
 *
 * The runtime's matcher backtracks: `(a+)+$` or `.*.*.*x` against a long value blocks the thread
 * for minutes, and no known check of patterns is both safe and accepts ordinary ones. So the
 * pattern is compiled to a list of instructions, and all paths through it advance side by side, one
 * character at a time (Thompson 1968; RE2 and Go do the same). Such a matcher cannot support
 * look-around and back-references, which are refused.
 */
import { type Piece, parsePattern } from './pattern-syntax.ts';

export const maxPatternLength = 200;
/** Bounds the work per character, so that `(a{99}){99}` is refused. */
const maxInstructions = 1000;

/** `matches` takes at most about `cost` steps per character of the text. */
export type Pattern = { matches(text: string): boolean; cost: number };

type Instruction =
  | { kind: 'character'; test: (character: string) => boolean }
  | { kind: 'assert'; test: (before: string | undefined, after: string | undefined) => boolean }
  | { kind: 'fork'; first: number; second: number }
  | { kind: 'match' };

/** Like `new RegExp(source, 'u')`; a pattern without anchors may match anywhere. */
export function compilePattern(source: string): Pattern | { fault: string } {
  if (source.length > maxPatternLength) {
    return { fault: `The pattern has more than ${maxPatternLength} characters.` };
  }
  const parsed = parsePattern(source);
  if ('fault' in parsed) return parsed;

  const program: Instruction[] = [];
  if (!emit(parsed.piece, program)) return { fault: 'The pattern repeats too much.' };
  program.push({ kind: 'match' });
  return { matches: (text) => run(program, [...text]), cost: program.length };
}

/** False if the program would become too long. */
function emit(piece: Piece, program: Instruction[]): boolean {
  if (program.length > maxInstructions) return false;
  switch (piece.kind) {
    case 'character':
    case 'assert':
      program.push(piece);
      return true;
    case 'sequence':
      // Emits at least one instruction, so that repeating an empty piece also reaches the limit.
      addFork(program);
      return piece.pieces.every((part) => emit(part, program));
    case 'choice':
      return emitChoice(piece.choices, program);
    case 'repeat':
      return emitRepeat(piece, program);
  }
}

function emitChoice(choices: readonly Piece[], program: Instruction[]): boolean {
  const [first, ...rest] = choices;
  if (!first) return true;
  if (rest.length === 0) return emit(first, program);

  const fork = addFork(program);
  if (!emit(first, program)) return false;
  const jump = addFork(program);
  fork.second = program.length;
  if (!emitChoice(rest, program)) return false;
  jump.first = jump.second = program.length;
  return true;
}

function emitRepeat(
  { piece, min, max }: Extract<Piece, { kind: 'repeat' }>,
  program: Instruction[],
) {
  for (let count = 0; count < min; count++) if (!emit(piece, program)) return false;

  if (max === Number.POSITIVE_INFINITY) {
    const start = program.length;
    const fork = addFork(program);
    if (!emit(piece, program)) return false;
    const back = addFork(program);
    back.first = back.second = start;
    fork.second = program.length;
    return true;
  }

  const exits = [];
  for (let count = min; count < max; count++) {
    exits.push(addFork(program));
    if (!emit(piece, program)) return false;
  }
  for (const exit of exits) exit.second = program.length;
  return true;
}

function addFork(program: Instruction[]) {
  const next = program.length + 1;
  const fork = { kind: 'fork' as const, first: next, second: next };
  program.push(fork);
  return fork;
}

function run(program: readonly Instruction[], text: readonly string[]): boolean {
  // The text position at which an instruction was last added, so that each is visited once per
  // character, however many paths lead to it.
  const added = new Int32Array(program.length).fill(-1);
  let waiting: number[] = [];

  for (let place = 0; place <= text.length; place++) {
    // A match may begin at any position.
    const open = [0, ...waiting];
    waiting = [];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (added[at] === place) continue;
      added[at] = place;

      const instruction = program[at];
      if (instruction?.kind === 'match') return true;
      if (instruction?.kind === 'fork') open.push(instruction.second, instruction.first);
      if (instruction?.kind === 'assert' && instruction.test(text[place - 1], text[place])) {
        open.push(at + 1);
      }
      const character = text[place];
      if (instruction?.kind === 'character' && character !== undefined) {
        if (instruction.test(character)) waiting.push(at + 1);
      }
    }
  }
  return false;
}
