/** A line of a log, its number, its colours, and what of it was looked for. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { memo } from 'react';
import { formatSize } from '../ui/format.ts';
import type { Span, Style } from './ansi.ts';
import classes from './log.module.css';

type Props = {
  /** From 0. */
  number: number;
  spans: readonly Span[];
  /** Bytes that are not shown. */
  folded: number;
  query: string;
  isMarked: boolean;
  isCurrent: boolean;
  onMark: ((line: number) => void) | undefined;
};

export const Line = memo(function Line(props: Props) {
  const { number, spans, folded, query, isMarked, isCurrent, onMark } = props;
  return (
    <div
      className={classes.line}
      data-marked={isMarked || undefined}
      data-current={isCurrent || undefined}
    >
      {onMark ? (
        <button
          type="button"
          tabIndex={-1}
          className={classes.number}
          aria-label={t`Line ${number + 1}`}
          title={t`Put this line into the address`}
          onClick={() => onMark(number)}
        >
          {number + 1}
        </button>
      ) : (
        <span className={classes.number}>{number + 1}</span>
      )}
      <span className={classes.text} dir="ltr">
        {spans.map(({ text, style }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the spans of a line have only a place
          <span key={at} style={cssOf(style)} className={style.mark ? classes.mark : undefined}>
            <Found text={text} query={query} />
          </span>
        ))}
        {folded > 0 && (
          <span className={classes.folded}>
            {' '}
            <Trans>… {formatSize(folded)} more</Trans>
          </span>
        )}
      </span>
    </div>
  );
});

function Found({ text, query }: { text: string; query: string }) {
  if (query === '') return text;
  const parts: { text: string; isFound: boolean }[] = [];
  const [lower, part] = [text.toLowerCase(), query.toLowerCase()];
  let from = 0;
  for (let at = lower.indexOf(part); at >= 0; at = lower.indexOf(part, from)) {
    parts.push({ text: text.slice(from, at), isFound: false });
    from = at + part.length;
    parts.push({ text: text.slice(at, from), isFound: true });
  }
  if (parts.length === 0) return text;
  parts.push({ text: text.slice(from), isFound: false });
  return parts.map(({ text: shown, isFound }, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have only a place
    isFound ? <mark key={at}>{shown}</mark> : <span key={at}>{shown}</span>,
  );
}

/** Readable on the dark ground of a log. */
const palette = [
  ...['#8b939a', '#ff7b72', '#6fdd8b', '#e3b341', '#79b8ff', '#d2a8ff', '#56d4dd', '#d0d7de'],
  ...['#a8b1b8', '#ffa198', '#7ee99a', '#f2cc60', '#a5d0ff', '#e2c5ff', '#76e3ea', '#ffffff'],
];

const colourOf = (colour: number | string | undefined) =>
  typeof colour === 'number' ? palette[colour] : colour;

function cssOf({ fg, bg, inverse, ...style }: Style) {
  const [ink, ground] = inverse ? [bg ?? '#15181b', fg ?? 7] : [fg, bg];
  return {
    color: ground !== undefined && ink === undefined ? '#15181b' : colourOf(ink),
    background: colourOf(ground),
    fontWeight: style.bold ? 650 : undefined,
    opacity: style.dim ? 0.75 : undefined,
    fontStyle: style.italic ? 'italic' : undefined,
    textDecoration:
      [style.underline && 'underline', style.strike && 'line-through'].filter(Boolean).join(' ') ||
      undefined,
  };
}
