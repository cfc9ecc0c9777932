/** Finds texts of the dashboard that are not marked for translation. */
import { type ESTree, parseSync } from 'vite';

/** A text as it is in the source, and its line. */
export type Unmarked = { line: number; text: string };

type Node = ESTree.Node;
/** What a node is in, from the outermost. */
type Path = readonly Node[];

const macros = new Set(['t', 'msg', 'plural', 'select', 'selectOrdinal']);
const macroElements = new Set(['Trans', 'Plural']);
/** Elements whose content is the same in all languages. */
const literalElements = new Set(['code', 'Code', 'kbd', 'Kbd', 'pre']);
/** Attributes and properties that readers see, also if they hold a single word. */
const seen =
  /^(aria-(label|description|roledescription|valuetext)|(\w+L|l)abel|(\w+T|t)itle|(\w+P|p)laceholder|description|alt|verb|hint|message|heading|otherwise|tooltip|summary)$/;
/** Attributes that readers do not see. */
const unseen =
  /^(className|style|styles|d|viewBox|to|href|rel|points|transform|key|id|sizes|media)$/;

/** @param filename tells whether there is JSX. */
export function unmarkedTexts(code: string, filename: string): Unmarked[] {
  const found: Unmarked[] = [];
  const visit = (node: Node, path: Path) => {
    if (isWithoutTexts(node)) return;
    const text = textOf(node);
    if (text !== undefined && !isMarked(node, path) && isShown(text, node, path)) {
      const line = code.slice(0, node.start).split('\n').length;
      found.push({ line, text: text.replace(/\s+/g, ' ').trim() });
    }
    for (const child of childrenOf(node)) visit(child, [...path, node]);
  };
  visit(parseSync(filename, code).program, []);
  return found;
}

/** Imports, types, and names of properties. */
const isWithoutTexts = ({ type }: Node) =>
  /^(Import|ExportAll)/.test(type) || (/^TS/.test(type) && !/Expression$/.test(type));

function childrenOf(node: Node): Node[] {
  return Object.entries(node).flatMap(([name, value]: [string, unknown]) => {
    if (name === 'parent' || (name === 'key' && !('computed' in node && node.computed))) return [];
    if (name === 'source' || (name === 'test' && node.type === 'SwitchCase')) return [];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;

/** Values within a text are written as `0`. */
function textOf(node: Node): string | undefined {
  if (node.type === 'JSXText') return node.value;
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node.type !== 'TemplateLiteral') return undefined;
  return node.quasis.map(({ value }) => value.cooked ?? '').join('0');
}

function isMarked(node: Node, path: Path): boolean {
  const [parent, above] = [path.at(-1), path.at(-2)];
  if (parent?.type === 'TaggedTemplateExpression') return nameOf(parent.tag) !== 'css';
  if (node.type === 'JSXText') return isElement(parent, macroElements) || isInMacro(path);
  // `<Plural one="…">`, and texts in braces within `<Trans>`.
  if (parent?.type === 'JSXAttribute') return isElementOf(above, path.at(-3), macroElements);
  if (parent?.type === 'JSXExpressionContainer') {
    if (above?.type === 'JSXAttribute') return isElementOf(path.at(-3), path.at(-4), macroElements);
    return isElement(above, macroElements) || isInMacro(path);
  }
  // `plural(count, { one: '…' })`, and `t({ message: '…' })`.
  const call = path.at(-3);
  return (
    parent?.type === 'Property' &&
    call?.type === 'CallExpression' &&
    macros.has(nameOf(call.callee))
  );
}

/** Whether only elements are between a node and `<Trans>`. */
function isInMacro(path: Path): boolean {
  const last = path.findLastIndex(
    (node) => node.type !== 'JSXElement' && node.type !== 'JSXFragment',
  );
  return path.slice(last + 1).some((node) => isElement(node, macroElements));
}

const nameOf = (node: Node): string => ('name' in node ? String(node.name) : '');

const isElement = (node: Node | undefined, names: ReadonlySet<string>): boolean =>
  node?.type === 'JSXElement' && names.has(nameOf(node.openingElement.name));

const isElementOf = (
  opening: Node | undefined,
  element: Node | undefined,
  names: ReadonlySet<string>,
) => opening?.type === 'JSXOpeningElement' && isElement(element, names);

function isShown(text: string, node: Node, path: Path): boolean {
  if (!/\p{L}/u.test(text)) return false;
  if (path.some((outer) => isElement(outer, literalElements))) return false;
  if (node.type === 'JSXText') return true;
  const parent = path.at(-1);
  if (parent?.type === 'BinaryExpression' && parent.operator !== '+') return false;
  if (path.some(isKey)) return false;
  const holder = holderOf(path);
  if (holder?.type === 'JSXElement' || holder?.type === 'JSXFragment') return true;
  const name = memberOf(holder);
  if (name !== undefined && unseen.test(name)) return false;
  return (name !== undefined && seen.test(name)) || isSentence(text);
}

/** Of the cache of answers. */
const isKey = (node: Node): boolean => node.type === 'Property' && nameOf(node.key) === 'queryKey';

/** What a node is a value of, also by conditions. */
const holderOf = (path: Path): Node | undefined =>
  path.findLast(
    ({ type }) => !/^(Conditional|Logical|JSXExpressionContainer|TS|Parenthesized)/.test(type),
  );

/** The name of an attribute or property. */
function memberOf(holder: Node | undefined): string | undefined {
  if (holder?.type === 'JSXAttribute') return nameOf(holder.name);
  if (holder?.type === 'Property') {
    return holder.key.type === 'Literal' ? String(holder.key.value) : nameOf(holder.key);
  }
  return undefined;
}

/** Begins as a sentence does, or has words one after the other. */
const isSentence = (text: string): boolean =>
  /^\s*[“"(]?\p{Lu}(\p{Ll}|\s+\p{L})/u.test(text) ||
  /(^|[\s“(])\p{L}{2,}[,;:]?\s+[\p{L}\d“(…]/u.test(text) ||
  /[\d”)]\s+\p{L}{2,}([\s,.:;!?…]|$)/u.test(text);
