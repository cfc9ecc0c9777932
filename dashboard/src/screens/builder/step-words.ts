/** What the settings of a graph mean, in sentences with the names that people gave. Pure. */
import type { Expression, Operator } from '@cogworks/graph/expression-syntax';
import type { Domain, EdgeRole } from '@cogworks/graph/lanes';
import type { EdgeSource, Graph, GraphEdge, GraphNode } from '@cogworks/graph/types';
import { formatCount } from '../../ui/format.ts';

export type Titles = ReadonlyMap<string, string>;

/** What people call each node. */
export const titlesOf = (graph: Graph): Titles =>
  new Map(graph.nodes.map(({ key, title }) => [key, title || key]));

const named = (titles: Titles, key: string) => titles.get(key) ?? key;

/** The files that a node runs over, one by one. */
export const domainWords = (domain: Domain, titles: Titles): string =>
  domain.kind === 'input' ? domain.input : `${domain.port} of ${named(titles, domain.node)}`;

/** Where an edge comes from, as "scans" or "pages of Split". */
export const sourceWords = (from: EdgeSource, titles: Titles): string =>
  'node' in from ? `${from.port} of ${named(titles, from.node)}` : from.input;

/** How often a node runs, in few words. */
export function timesWords(node: GraphNode, domain: Domain | null | undefined, titles: Titles) {
  if (!node.map) return 'runs once';
  return domain
    ? `runs once for each file of ${domainWords(domain, titles)}`
    : 'runs once for each file';
}

/** How often a node runs, and what it waits for. */
export function mapMeaning(
  node: GraphNode,
  domain: Domain | null | undefined,
  titles: Titles,
  gathers: readonly GraphEdge[],
): string {
  if (node.map) {
    return domain
      ? 'Works on each file by itself, and waits for no other file.'
      : 'Would run once for each file, but nothing brings it files one by one.';
  }
  const [first] = gathers;
  if (!first) return 'Runs once, with all its files together.';
  const sources = [...new Set(gathers.map(({ from }) => sourceWords(from, titles)))];
  return `Runs once, and waits until ${listed(sources)} ${sources.length > 1 ? 'are' : 'is'} there for all files.`;
}

export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}

/** What an edge brings from its source. */
export function edgeMeaning(edge: GraphEdge, role: EdgeRole): string {
  switch (role) {
    case 'lane_source':
      return 'One file each time.';
    case 'same_lane':
      return 'What it gave for the same file.';
    case 'broadcast':
      return 'The same files each time.';
    case 'gather':
      return 'What it gave for every file, together.';
    default:
      return 'node' in edge.from ? 'What it gave.' : 'All its files.';
  }
}

/** When a step that gathers goes on. */
export function ratioMeaning(edge: GraphEdge, source: GraphNode | undefined): string {
  const ratio = edge.min_success_ratio;
  const name = source?.title || source?.key || 'the step before';
  if (ratio === undefined) {
    return source?.on_error === 'continue'
      ? `Goes on if at least one file came through, since ${name} lets others go on when it fails.`
      : `Goes on only if ${name} worked for every file.`;
  }
  if (ratio <= 0) return 'Goes on with whatever came through, even with nothing.';
  if (ratio >= 1) return `Goes on only if ${name} worked for every file.`;
  return `Goes on if ${percent(ratio)} of the files came through ${name}, and works on with those.`;
}

export const percent = (ratio: number): string => `${Number((ratio * 100).toFixed(2))} %`;

/** What the failure of a node means for the others. */
export function errorMeaning(node: GraphNode): string {
  const one = node.map ? ' for a file' : '';
  const it = node.map ? ', for this file' : '';
  if (node.on_error === 'continue') {
    return `If this step fails${one}, the others go on without it: at inputs that may stay empty, and where files are gathered.`;
  }
  return `If this step fails${one}, every step that needs it is left out${it}. Steps that do not need it run.`;
}

const operators: Record<Operator, string> = {
  '==': 'is',
  '!=': 'is not',
  '<': 'is less than',
  '<=': 'is at most',
  '>': 'is more than',
  '>=': 'is at least',
};
const calls = { startsWith: 'begins with', endsWith: 'ends with', contains: 'contains' } as const;
const fileWords: Readonly<Record<string, string>> = {
  name: "the file's name",
  stem: "the file's name without its ending",
  media_type: "the file's type",
  size_bytes: "the file's size in bytes",
};

/** A condition as a part of a sentence: "width is at least 80 and the file's name contains "a"". */
export function conditionWords(expression: Expression): string {
  switch (expression.kind) {
    case 'literal':
      return typeof expression.value === 'number'
        ? formatCount(expression.value)
        : JSON.stringify(expression.value);
    case 'reference':
      if (expression.root === 'file') return fileWords[expression.name] ?? expression.name;
      return expression.root === 'params' ? `the param ${expression.name}` : expression.name;
    case 'not':
      return expression.operand.kind === 'reference'
        ? `${conditionWords(expression.operand)} is off`
        : `not (${conditionWords(expression.operand)})`;
    case 'and':
    case 'or':
      return [expression.left, expression.right]
        .map((part) => grouped(part, expression.kind))
        .join(expression.kind === 'and' ? ' and ' : ' or ');
    case 'compare':
      return `${conditionWords(expression.left)} ${operators[expression.operator]} ${conditionWords(expression.right)}`;
    case 'in':
      return `${conditionWords(expression.value)} is one of ${expression.list.map(conditionWords).join(', ')}`;
    case 'call': {
      const [text, part] = expression.args.map(conditionWords);
      return `${text} ${calls[expression.name]} ${part}`;
    }
  }
}

function grouped(part: Expression, kind: 'and' | 'or'): string {
  const words = part.kind === 'reference' ? `${conditionWords(part)} is on` : conditionWords(part);
  const isOther = (part.kind === 'and' || part.kind === 'or') && part.kind !== kind;
  return isOther ? `(${words})` : words;
}

/** What a condition means for its node. */
export function whenMeaning(expression: Expression, isMapped: boolean): string {
  const words =
    expression.kind === 'reference'
      ? `${conditionWords(expression)} is on`
      : conditionWords(expression);
  const what = isMapped ? 'Works on a file only if' : 'Runs only if';
  return `${what} ${words}. Otherwise it is left out, with the steps that need it; that is no failure.`;
}
