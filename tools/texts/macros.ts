/** How marked texts of the dashboard become code: one setting for builds, tests and the catalogue. */
import { compileMessageOrThrow } from '@lingui/message-utils/compileMessage';
import { transform } from '@lingui/native-tools';
import { type ESTree, parseSync, Visitor } from 'vite';

/** Imports of a file that has marked texts. */
export const macroImport = /from ['"]@lingui\/(?:core|react)\/macro['"]/;

/** Messages of another language, by the ids of the English ones. */
export type Translations = ReadonlyMap<string, string>;

/** What calls refer to (`imports` in dashboard/package.json). */
const runtimeModules = {
  i18n: ['#language', 'i18n'],
  Trans: ['#trans', 'Trans'],
} as const;

/**
 * TypeScript with macros as JavaScript with the texts of one language. JSX stays.
 * @param translations what is not in here is English
 */
export async function textsInPlace(
  code: string,
  filename: string,
  translations: Translations,
): Promise<{ code: string; map?: string }> {
  const macro = { descriptorFields: 'message', runtimeModules } as const;
  const expanded = await transform(code, filename, { macro });
  return { ...expanded, code: withTexts(expanded.code, translations) };
}

/** The mark that macros leave before each message. */
const mark = '/*i18n*/ ';
type Edit = { start: number; end: number; code: string };

/**
 * A text without values becomes a plain string. Any other becomes what a compiler of messages would
 * make of it, so that pages need neither a compiler nor a catalogue.
 */
function withTexts(code: string, translations: Translations): string {
  const edits: Edit[] = [];
  const isMarked = ({ start }: ESTree.Node) => code.slice(0, start).endsWith(mark);
  const partsOf = (message: ESTree.Node) => {
    if (message.type !== 'ObjectExpression' || !isMarked(message)) return undefined;
    const parts = partsByName(message);
    const english = parts.get('message')?.value;
    const id = parts.get('id')?.value;
    if (english?.type !== 'Literal' || id?.type !== 'Literal') return undefined;
    const text = translations.get(String(id.value)) ?? String(english.value);
    const isPlain = !parts.has('values') && !parts.has('components');
    const tokens = compiled(text, isPlain);
    return { id: parts.get('id'), english, isPlain, tokens };
  };
  const plain = (node: ESTree.Node) => {
    const parts = partsOf(node);
    return parts?.isPlain ? JSON.stringify(parts.tokens.join('')) : undefined;
  };
  new Visitor({
    CallExpression({ start, end, arguments: [message] }) {
      const text = message && plain(message);
      if (text) edits.push({ start, end, code: text });
    },
    JSXElement({ start, end, openingElement: { attributes } }) {
      const [message] = attributes;
      if (attributes.length !== 1 || message?.type !== 'JSXSpreadAttribute') return;
      const text = plain(message.argument);
      if (text) edits.push({ start, end, code: `<>{${text}}</>` });
    },
    ObjectExpression(node) {
      const parts = partsOf(node);
      if (!parts?.id || parts.isPlain) return;
      const { id, english, tokens } = parts;
      edits.push({ start: id.start, end: id.end, code: 'id: ""' });
      edits.push({ start: english.start, end: english.end, code: JSON.stringify(tokens) });
    },
  }).visit(parseSync('texts.jsx', code).program);
  return edited(code, edits);
}

/**
 * What the parser of messages makes of one.
 * @throws Error if it has braces that are not of a value.
 */
export function compiled(text: string, isPlain: boolean): unknown[] {
  try {
    const tokens = compileMessageOrThrow(text);
    if (!isPlain || tokens.every((token) => typeof token === 'string')) return tokens;
  } catch {
    // Said below.
  }
  throw new Error(`Braces that are not of a value must be in single quotes: ${text}`);
}

function partsByName({ properties }: ESTree.ObjectExpression) {
  const named = properties.flatMap((property) =>
    property.type === 'Property' && property.key.type === 'Identifier'
      ? [[property.key.name, property] as const]
      : [],
  );
  return new Map(named);
}

/** Edits never overlap: messages within messages are values, which stay. */
function edited(code: string, edits: Edit[]): string {
  let result = code;
  for (const { start, end, code: text } of edits.toSorted((a, b) => b.start - a.start)) {
    // Lines stay where source maps expect them.
    const lines = result.slice(start, end).split('\n').length - 1;
    const filler = '\n'.repeat(lines);
    const filled = text.endsWith('</>') ? text.replace(/<\/>$/, `${filler}</>`) : text + filler;
    result = result.slice(0, start) + filled + result.slice(end);
  }
  return result;
}
