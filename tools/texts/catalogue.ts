/** The catalogue of English texts, and the catalogues of translations, as PO files. */
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { formatter } from '@lingui/format-po';
import { extractMessagesFromFiles } from '@lingui/native-tools';
import { compiled, macroImport, type Translations } from './macros.ts';

const root = join(import.meta.dirname, '../..');
/** The folder of catalogues; `en.po` is written from the source, the others are translated. */
export const catalogues = join(root, 'dashboard/texts');
const sources = join(root, 'dashboard/src');

// Without numbers of lines, a catalogue changes only if a text does.
const po = formatter({
  lineNumbers: false,
  customHeaderAttributes: { 'POT-Creation-Date': '', 'X-Generator': 'npm run texts' },
});
type Catalogue = Awaited<ReturnType<typeof po.parse>>;
const fileOf = (locale: string) => ({ locale, sourceLocale: 'en', filename: `${locale}.po` });

/** @throws Error if a text cannot be read, by its file. */
export async function extractTexts(): Promise<Catalogue> {
  const marked = await filesWithMacros();
  const { messages, warnings } = await extractMessagesFromFiles(marked);
  if (warnings.length > 0) throw new Error(warnings.join('\n'));

  const found: Catalogue = {};
  for (const { id, message, context, comment, placeholders, origin } of messages) {
    if (message === undefined) throw new Error(`A text has no words: ${origin?.filename}`);
    checkMessage(message, Object.keys(placeholders).length === 0, origin?.filename);
    const { origin: origins = [], placeholders: values = {} } = found[id] ?? {};
    origins.push([relative(join(root, 'dashboard'), origin?.filename ?? '')]);
    for (const [name, value] of Object.entries(placeholders)) {
      values[name] = [...new Set([...(values[name] ?? []), value])];
    }
    const comments = [...new Set([...(found[id]?.comments ?? []), ...(comment ? [comment] : [])])];
    // Without its context, a text is not found again by its words, and is written as an id alone.
    const meaning = context === undefined ? {} : { context };
    found[id] = { message, ...meaning, comments, origin: origins, placeholders: values };
  }
  return sorted(found);
}

function checkMessage(message: string, isPlain: boolean, filename: string | undefined) {
  try {
    compiled(message, isPlain && !message.includes('<'));
  } catch (error) {
    throw new Error(`A text of ${filename} cannot be read.`, { cause: error });
  }
}

/** By message, so that what is written side by side seldom lands on the same line. */
function sorted(catalogue: Catalogue): Catalogue {
  const words = ([, { message = '' }]: [string, Catalogue[string]]) => message;
  const byMessage = Object.entries(catalogue).toSorted((a, b) => (words(a) < words(b) ? -1 : 1));
  for (const [, { origin }] of byMessage) origin?.sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(byMessage);
}

async function filesWithMacros(): Promise<string[]> {
  const names = await readdir(sources, { recursive: true });
  const files = names.filter((name) => /(?<!\.test)\.tsx?$/.test(name)).toSorted();
  const marked = await Promise.all(
    files.map(async (name) => {
      const path = join(sources, name);
      return macroImport.test(await readFile(path, 'utf8')) ? [path] : [];
    }),
  );
  return marked.flat();
}

/**
 * What the files of catalogues should hold, by their names. Translations keep what they have, lose
 * what is in the source no longer, and get what is new, without a translation.
 */
export async function freshCatalogues(): Promise<Map<string, string>> {
  const english = await extractTexts();
  const existing = (await readdir(catalogues)).filter((name) => name.endsWith('.po'));
  const names = new Set(['en.po', ...existing]);
  const files = Array.from(names, async (name): Promise<[string, string]> => {
    const before = await readFile(join(catalogues, name), 'utf8').catch(() => '');
    const locale = name.replace('.po', '');
    const known = await po.parse(before, fileOf(locale));
    const fresh = Object.entries(english).map(([id, entry]) => {
      const translation = locale === 'en' ? '' : (known[id]?.translation ?? '');
      const { extra } = known[id] ?? {};
      return [id, { ...entry, translation, ...(extra && { extra }) }] as const;
    });
    const text = await po.serialize(Object.fromEntries(fresh), {
      ...fileOf(locale),
      existing: before,
    });
    // A date of creation says nothing, and would be a line to merge.
    return [name, `${text.replace(/^"POT-Creation-Date.*\n/m, '').trimEnd()}\n`];
  });
  return new Map(await Promise.all(files));
}

/** What a catalogue translates, for a build of its language. @param text the content of its file. */
export async function translationsIn(text: string): Promise<Translations> {
  const catalogue = await po.parse(text, fileOf('en'));
  return new Map(
    Object.entries(catalogue).flatMap(([id, { translation }]) =>
      translation ? [[id, translation]] : [],
    ),
  );
}
