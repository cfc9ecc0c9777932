/** In the list: what the last test showed of a step, in the words of its card. Leads to the results. */
import { t } from '@lingui/core/macro';
import { VisuallyHidden } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import classes from './test.module.css';
import { type Shown, useOutcome, useTested } from './testing.ts';

type Props = { id?: string; nodeKey: string; title: string; onOpen: () => void };

export function TestLine(props: Props) {
  const shown = useTested(props.nodeKey);
  return shown ? <Line {...props} shown={shown} /> : null;
}

function Line({ id, title, onOpen, shown }: Props & { shown: Shown }) {
  const { status, words, detail, isStale } = useOutcome(shown);
  return (
    <button
      type="button"
      className={`${classes.toned} ${classes.line}`}
      data-status={status}
      data-stale={isStale}
      onClick={onOpen}
    >
      <span className={classes.dot} aria-hidden />
      <span className={classes.lineWords} id={id}>
        <strong>{words}</strong> {detail}
      </span>
      <VisuallyHidden>{t`, results of ${title}`}</VisuallyHidden>
      <IconChevronRight size={15} aria-hidden className={classes.chevron} />
    </button>
  );
}
