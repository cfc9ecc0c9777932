/**
 * Reads and writes the XML of WebDAV. Bodies are small; a document type is refused, because only
 * with one could a small body become a large document, or name other documents.
 */
import { isUtf8 } from 'node:buffer';
import { SaxesParser } from 'saxes';
import { invalid } from '../../errors.ts';

/** No body of a WebDAV client is nested as deeply, or holds as many elements. */
const mostLevels = 32;
const mostElements = 2000;
/**
 * Of the names of all elements and attributes together, each with its namespace. In answers and in
 * what is kept, each name has its namespace beside it, so a long one that many use would make a
 * small body a large text.
 */
const longestNames = 32_768;

export const davNamespace = 'DAV:';

/** The name of an element: `name` in `namespace`, which may be empty. */
export type Name = { namespace: string; name: string };

export type Element = Name & {
  attributes: (Name & { value: string })[];
  children: (Element | string)[];
};

/** The root element of a document. @throws DomainError 400 */
export function readXml(bytes: Uint8Array): Element {
  if (!isUtf8(bytes)) throw invalid('The body is not valid UTF-8.');
  const root: Element = { namespace: '', name: '', attributes: [], children: [] };
  const open = [root];
  let elements = 0;
  let names = 0;
  const add = (child: Element | string) => open.at(-1)?.children.push(child);

  const parser = new SaxesParser({ xmlns: true, position: false });
  parser.on('error', ({ message }) => {
    throw invalid(`The body is not well-formed XML: ${message.slice(0, 200)}`);
  });
  parser.on('xmldecl', ({ encoding = 'utf-8' }) => {
    if (!/^(utf-8|us-ascii)$/i.test(encoding)) throw invalid('The body must be UTF-8.');
  });
  parser.on('doctype', () => {
    throw invalid('The body must not have a document type.');
  });
  parser.on('opentag', ({ uri, local, attributes }) => {
    elements += 1;
    for (const name of [{ uri, local }, ...Object.values(attributes)]) {
      names += name.uri.length + name.local.length;
    }
    if (elements > mostElements || open.length > mostLevels || names > longestNames) {
      throw invalid('The XML has too many elements or too long names, or is nested too deeply.');
    }
    const element: Element = {
      namespace: uri,
      name: local,
      attributes: Object.values(attributes)
        .filter(({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns')
        .map((attribute) => ({
          namespace: attribute.uri,
          name: attribute.local,
          value: attribute.value,
        })),
      children: [],
    };
    add(element);
    open.push(element);
  });
  parser.on('closetag', () => void open.pop());
  parser.on('text', (text) => void add(text));
  parser.on('cdata', (text) => void add(text));
  parser.write(new TextDecoder().decode(bytes)).close();

  const [found] = elementsOf(root);
  if (!found) throw invalid('The body is not well-formed XML: it has no element.');
  return found;
}

/** The child elements; text between them has no meaning in WebDAV. */
export const elementsOf = ({ children }: Element): Element[] =>
  children.filter((child) => typeof child !== 'string');

/** The first child element of that name in `DAV:`. */
export const childNamed = (element: Element, name: string): Element | undefined =>
  elementsOf(element).find((child) => isDav(child, name));

export const isDav = ({ namespace, name }: Name, wanted: string): boolean =>
  namespace === davNamespace && name === wanted;

/** Text for an element or an attribute. Characters that XML cannot hold become U+FFFD. */
export const escaped = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that XML excludes
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"\r]/g, (character) => entities[character] ?? character);

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#13;',
};

/** An element with this content. In answers the prefix `D` stands for `DAV:`. */
export function written({ namespace, name }: Name, content: string, lang = ''): string {
  const [tag, declared] =
    namespace === davNamespace ? [`D:${name}`, ''] : declaredAs('x', { namespace, name });
  const start = `${tag}${declared}${lang === '' ? '' : ` xml:lang="${escaped(lang)}"`}`;
  return content === '' ? `<${start}/>` : `<${start}>${content}</${tag}>`;
}

/** The language of the last of nested elements: its own, or else that of the nearest above. */
export const languageIn = (nested: readonly Element[]): string | undefined =>
  nested
    .flatMap(({ attributes }) => attributes)
    .findLast(({ namespace, name }) => namespace === xmlNamespace && name === 'lang')?.value;

/** The content of an element as XML that means the same anywhere: each name declares its namespace. */
export const contentOf = ({ children }: Element): string =>
  children
    .map((child) => (typeof child === 'string' ? escaped(child) : standalone(child)))
    .join('');

function standalone(element: Element): string {
  const { attributes } = element;
  const [tag, declared] = declaredAs('n', element);
  const given = attributes.map((attribute, at) => {
    const value = `="${escaped(attribute.value)}"`;
    if (attribute.namespace === '') return ` ${attribute.name}${value}`;
    if (attribute.namespace === xmlNamespace) return ` xml:${attribute.name}${value}`;
    return ` xmlns:a${at}="${escaped(attribute.namespace)}" a${at}:${attribute.name}${value}`;
  });
  return `<${tag}${declared}${given.join('')}>${contentOf(element)}</${tag}>`;
}

/** A tag with this prefix, and what declares it. The prefix `xml` is the only one of its namespace. */
function declaredAs(prefix: string, { namespace, name }: Name): [tag: string, declared: string] {
  if (namespace === '') return [name, ''];
  if (namespace === xmlNamespace) return [`xml:${name}`, ''];
  return [`${prefix}:${name}`, ` xmlns:${prefix}="${escaped(namespace)}"`];
}

const xmlNamespace = 'http://www.w3.org/XML/1998/namespace';

export const xmlHead = '<?xml version="1.0" encoding="utf-8"?>\n';
