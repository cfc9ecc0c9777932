/**
 * The text of notes: bold, italic, code, links and lists of Markdown, as React elements. Anything
 * else, HTML included, is shown as it was written.
 */
import type { ReactNode } from 'react';

/** A text that anybody may have written. */
export function RichText({ text }: { text: string }) {
  return <>{blocksOf(text).map(drawBlock)}</>;
}

type Block = { kind: 'text' | 'list' | 'head'; lines: string[] };

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let isOpen = false;
  for (const line of text.split(/\r?\n/)) {
    const item = /^\s*[-*]\s+(.*)$/.exec(line);
    const head = /^#{1,3}\s+(.*)$/.exec(line);
    const kind = item ? 'list' : head ? 'head' : 'text';
    const words = item?.[1] ?? head?.[1] ?? line;
    const last = blocks.at(-1);
    if (line.trim() === '') isOpen = false;
    else if (isOpen && last?.kind === kind && kind !== 'head') last.lines.push(words);
    else {
      blocks.push({ kind, lines: [words] });
      isOpen = true;
    }
  }
  return blocks;
}

function drawBlock({ kind, lines }: Block, index: number): ReactNode {
  if (kind === 'list') {
    return (
      <ul key={index}>
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have nothing but their place
          <li key={at}>{inline(line)}</li>
        ))}
      </ul>
    );
  }
  if (kind === 'head') {
    return (
      <p key={index}>
        <strong>{inline(lines[0] ?? '')}</strong>
      </p>
    );
  }
  return <p key={index}>{inline(lines.join('\n'))}</p>;
}

const marks = /\*\*([^*\n]+)\*\*|\*([^*\n]+)\*|`([^`\n]+)`|\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/g;

function inline(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, bold, italic, code, words, url] = match;
    if (match.index > end) parts.push(text.slice(end, match.index));
    end = match.index + whole.length;
    const key = match.index;
    if (bold) parts.push(<strong key={key}>{bold}</strong>);
    else if (italic) parts.push(<em key={key}>{italic}</em>);
    else if (code) parts.push(<code key={key}>{code}</code>);
    else {
      parts.push(
        <a key={key} href={url} target="_blank" rel="noreferrer noopener" className="nodrag">
          {words}
        </a>,
      );
    }
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}
