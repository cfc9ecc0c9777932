/**
 * The lines of a log in view. The place is a line and not a height, so that wrapped lines need not be
 * measured, and a log of millions of lines fits into the height a browser can have.
 */
import { t } from '@lingui/core/macro';
import { useCallbackRef, useElementSize, useMergedRef } from '@mantine/hooks';
import { type UIEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { spansOf } from './ansi.ts';
import classes from './log.module.css';
import type { LogClient } from './log-client.ts';
import { Line } from './log-line.tsx';
import type { LogLine } from './log-lines.ts';

type Props = {
  log: LogClient;
  size: 'page' | 'part';
  /** The numbers of the lines to show; without it all. */
  shown: Uint32Array | undefined;
  isWrapped: boolean;
  isFollowing: boolean;
  /** Where to scroll to. */
  target: { line: number } | undefined;
  query: string;
  /** The line that somebody pointed at, and the one that was found. */
  marked: number | undefined;
  current: number | undefined;
  onMark: ((line: number) => void) | undefined;
  onLeaveEnd: () => void;
};

const lineHeight = 20;
/** What is beside much else is no higher than its lines, as far as they are few. */
const mostInPart = 100;
/** Above the line that is gone to. */
const linesAbove = { page: 3, part: 1 };
/** Browsers draw no higher than some 17 to 33 million. */
const mostHeight = 12_000_000;

export function LogScroll(props: Props) {
  const { log, size, shown, isWrapped, isFollowing, target, query, onLeaveEnd } = props;
  const scroller = useRef<HTMLElement>(null);
  const { ref: sized, height } = useElementSize<HTMLElement>();
  const count = shown?.length ?? log.state.lines;
  const inView = Math.max(1, Math.ceil(height / lineHeight));
  const unit = Math.min(lineHeight, mostHeight / Math.max(1, count));
  const [first, setFirst] = useState(0);
  const lines = useLines(log, shown, first, first + inView + 1);
  // The last line can be scrolled to the top, since above the end lines may be wrapped.
  const room = isWrapped ? Math.max(0, height - lineHeight * 3) : 0;

  /** What is at the top, to a part of a line: heights are rounded. */
  const top = useRef(0);
  const scrollTo = useCallbackRef((line: number) => {
    const at = shown ? shown.findIndex((one) => one >= line) : line;
    top.current = Math.max(0, at - linesAbove[size]);
    if (scroller.current) scroller.current.scrollTop = top.current * unit;
  });
  useEffect(() => {
    if (target) scrollTo(target.line);
  }, [target, scrollTo]);
  // The more lines a very long log has, the less high is each: the same one stays at the top.
  useLayoutEffect(() => {
    if (scroller.current) scroller.current.scrollTop = top.current * unit;
  }, [unit]);
  useEffect(() => {
    if (isFollowing && scroller.current) scroller.current.scrollTop = count * unit - height + room;
  }, [isFollowing, count, unit, height, room]);
  const onScroll = ({ currentTarget: { scrollTop } }: UIEvent<HTMLElement>) => {
    if (Math.abs(scrollTop - top.current * unit) > 1) top.current = scrollTop / unit;
    setFirst(Math.min(Math.floor(top.current), Math.max(0, count - 1)));
    if (isFollowing && scrollTop < count * unit - height - lineHeight * 3) onLeaveEnd();
  };
  const digits = String(log.state.lines).length;
  return (
    <section
      ref={useMergedRef(scroller, sized)}
      className={classes.scroll}
      data-size={size}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so keys must reach it
      tabIndex={0}
      aria-label={t`Log`}
      onScroll={onScroll}
      style={{ '--digits': `${digits}ch`, '--lines': Math.min(count, mostInPart) } as object}
    >
      <div className={classes.whole} style={{ height: count * unit + room }}>
        <div
          className={classes.view}
          data-wrapped={isWrapped || undefined}
          style={isWrapped ? {} : { minWidth: `calc(${log.state.longest}ch + ${digits}ch + 40px)` }}
        >
          {lines.map(({ number, line }) => (
            <Line
              key={number}
              number={number}
              spans={spansOf(line.text)}
              folded={line.folded}
              query={query}
              isMarked={props.marked === number}
              isCurrent={props.current === number}
              onMark={props.onMark}
            />
          ))}
        </div>
      </div>
    </section>
  );
}

type Numbered = { number: number; line: LogLine };

/** The lines of a range, as soon as the thread has them; until then those before. */
function useLines(log: LogClient, shown: Uint32Array | undefined, from: number, to: number) {
  const [lines, setLines] = useState<readonly Numbered[]>([]);
  const { bytes } = log.state;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the last line may have grown
  useEffect(() => {
    let isOld = false;
    const numbers = shown?.slice(from, to);
    const asked = numbers ? log.some(numbers) : log.lines(from, to);
    void asked.then((found) => {
      if (isOld) return;
      setLines(found.map((line, at) => ({ number: numbers?.[at] ?? from + at, line })));
    });
    return () => {
      isOld = true;
    };
  }, [log, shown, from, to, bytes]);
  return lines;
}
