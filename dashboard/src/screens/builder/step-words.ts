/** What the settings of a graph mean, in sentences with the names that people gave. Pure. */
import type { Expression, Operator } from '@cogworks/graph/expression-syntax';
import type { Domain, EdgeRole } from '@cogworks/graph/lanes';
import type { EdgeSource, Graph, GraphEdge, GraphNode } from '@cogworks/graph/types';
import { plural, t } from '@lingui/core/macro';
import { formatCount } from '../../ui/format.ts';
import { locale } from '../../ui/language.ts';

export type Titles = ReadonlyMap<string, string>;

/** What people call each node. */
export const titlesOf = (graph: Graph): Titles =>
  new Map(graph.nodes.map(({ key, title }) => [key, title || key]));

/** What people call one node. */
export const titleOf = ({ nodes }: Pick<Graph, 'nodes'>, key: string): string =>
  nodes.find((node) => node.key === key)?.title || key;

/** The same where there is no room for a long one. */
export function shortTitleOf(graph: Pick<Graph, 'nodes'>, key: string, most: number): string {
  const title = titleOf(graph, key);
  return title.length > most ? `${title.slice(0, most - 1).trimEnd()}…` : title;
}

const named = (titles: Titles, key: string) => titles.get(key) ?? key;

/** A port of a step in words, as "pages of Split". */
export const portOf = (step: string, port: string): string => t`${port} of ${step}`;

/** The files that a node runs over, one by one. */
export const domainWords = (domain: Domain, titles: Titles): string =>
  domain.kind === 'input' ? domain.input : portOf(named(titles, domain.node), domain.port);

/** Where an edge comes from, as "scans" or "pages of Split". */
export const sourceWords = (from: EdgeSource, titles: Titles): string =>
  'node' in from ? portOf(named(titles, from.node), from.port) : from.input;

/** How often a node runs, in few words. */
export function timesWords(node: GraphNode, domain: Domain | null | undefined, titles: Titles) {
  if (!node.map) return t`runs once`;
  if (!domain) return t`runs once for each file`;
  const source = domainWords(domain, titles);
  return t`runs once for each file of ${source}`;
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
      ? t`Works on each file by itself, and waits for no other file.`
      : t`Would run once for each file, but nothing brings it files one by one.`;
  }
  const [first] = gathers;
  if (!first) return t`Runs once, with all its files together.`;
  const sources = [...new Set(gathers.map(({ from }) => sourceWords(from, titles)))];
  const list = listed(sources);
  return plural(sources.length, {
    one: `Runs once, and waits until ${list} is there for all files.`,
    other: `Runs once, and waits until ${list} are there for all files.`,
  });
}

const lists = new Intl.ListFormat(locale, { type: 'conjunction' });

/** As "a, b and c". */
export const listed = (words: readonly string[]): string => lists.format(words);

/** What an edge brings from its source. */
export function edgeMeaning(edge: GraphEdge, role: EdgeRole): string {
  switch (role) {
    case 'lane_source':
      return t`One file each time.`;
    case 'same_lane':
      return t`What it gave for the same file.`;
    case 'broadcast':
      return t`The same files each time.`;
    case 'gather':
      return t`What it gave for every file, together.`;
    default:
      return 'node' in edge.from ? t`What it gave.` : t`All its files.`;
  }
}

/** When a step that gathers goes on. */
export function ratioMeaning(edge: GraphEdge, source: GraphNode | undefined): string {
  const ratio = edge.min_success_ratio;
  const name = source?.title || source?.key || t`the step before`;
  if (ratio === undefined) {
    return source?.on_error === 'continue'
      ? t`Goes on if at least one file came through, since ${name} lets others go on when it fails.`
      : t`Goes on only if ${name} worked for every file.`;
  }
  if (ratio <= 0) return t`Goes on with whatever came through, even with nothing.`;
  if (ratio >= 1) return t`Goes on only if ${name} worked for every file.`;
  const share = percent(ratio);
  return t`Goes on if ${share} of the files came through ${name}, and works on with those.`;
}

export const percent = (ratio: number): string => `${Number((ratio * 100).toFixed(2))} %`;

/** What the failure of a node means for the others. */
export function errorMeaning(node: GraphNode): string {
  if (node.on_error === 'continue') {
    return node.map
      ? t`If this step fails for a file, the others go on without it: at inputs that may stay empty, and where files are gathered.`
      : t`If this step fails, the others go on without it: at inputs that may stay empty, and where files are gathered.`;
  }
  return node.map
    ? t`If this step fails for a file, every step that needs it is left out, for this file. Steps that do not need it run.`
    : t`If this step fails, every step that needs it is left out. Steps that do not need it run.`;
}

const compared: Record<Operator, (left: string, right: string) => string> = {
  '==': (left, right) => t`${left} is ${right}`,
  '!=': (left, right) => t`${left} is not ${right}`,
  '<': (left, right) => t`${left} is less than ${right}`,
  '<=': (left, right) => t`${left} is at most ${right}`,
  '>': (left, right) => t`${left} is more than ${right}`,
  '>=': (left, right) => t`${left} is at least ${right}`,
};
const calls = {
  startsWith: (text: string, part: string) => t`${text} begins with ${part}`,
  endsWith: (text: string, part: string) => t`${text} ends with ${part}`,
  contains: (text: string, part: string) => t`${text} contains ${part}`,
};
const fileWords: Readonly<Record<string, string>> = {
  name: t`the file's name`,
  stem: t`the file's name without its ending`,
  media_type: t`the file's type`,
  size_bytes: t`the file's size in bytes`,
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
      return expression.root === 'params' ? t`the param ${expression.name}` : expression.name;
    case 'not':
      return negatedWords(expression.operand);
    case 'and':
    case 'or': {
      const left = grouped(expression.left, expression.kind);
      const right = grouped(expression.right, expression.kind);
      return expression.kind === 'and' ? t`${left} and ${right}` : t`${left} or ${right}`;
    }
    case 'compare':
      return compared[expression.operator](
        conditionWords(expression.left),
        conditionWords(expression.right),
      );
    case 'in': {
      const value = conditionWords(expression.value);
      const list = expression.list.map(conditionWords).join(', ');
      return t`${value} is one of ${list}`;
    }
    case 'call': {
      const [text = '', part = ''] = expression.args.map(conditionWords);
      return calls[expression.name](text, part);
    }
  }
}

function negatedWords(operand: Expression): string {
  const words = conditionWords(operand);
  return operand.kind === 'reference' ? t`${words} is off` : t`not (${words})`;
}

/** A condition that is a name alone is a switch. */
function isTrueWords(expression: Expression): string {
  const words = conditionWords(expression);
  return expression.kind === 'reference' ? t`${words} is on` : words;
}

function grouped(part: Expression, kind: 'and' | 'or'): string {
  const words = isTrueWords(part);
  const isOther = (part.kind === 'and' || part.kind === 'or') && part.kind !== kind;
  return isOther ? `(${words})` : words;
}

/** What a condition means for its node. */
export function whenMeaning(expression: Expression, isMapped: boolean): string {
  const condition = isTrueWords(expression);
  return isMapped
    ? t`Works on a file only if ${condition}. Otherwise it is left out, with the steps that need it; that is no failure.`
    : t`Runs only if ${condition}. Otherwise it is left out, with the steps that need it; that is no failure.`;
}
