/** Above the drawing: what others changed, what could not be saved, what an earlier visit left. */
import { Button, CloseButton, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useNames } from '../../../people.ts';
import { wordsOf } from '../../../ui/await.tsx';
import { plural } from '../../../ui/format.ts';
import { When } from '../../../ui/when.tsx';
import classes from '../builder.module.css';
import { useNewVersion } from '../versions/new-version.ts';
import { ConflictBox } from './conflict-box.tsx';
import { useSaver, useSaverState } from './draft-context.ts';
import type { Kept } from './journal.ts';
import type { News } from './saver.ts';
import type { Draft } from './use-draft.ts';

type Props = { draft: Draft; workflowId: number };

export function DraftNotices({ draft: { found, bringBack, discard }, workflowId }: Props) {
  const saver = useSaver();
  const state = useSaverState();
  if (!state || !saver) return null;
  return (
    <>
      {found.map((kept) => (
        <KeptLine key={kept.tab} kept={kept} onDiscard={() => discard(kept)}>
          <Button size="compact-sm" onClick={() => bringBack(kept)}>
            Bring them back
          </Button>
        </KeptLine>
      ))}
      {state.news && state.conflicts.length === 0 && (
        <NewsLine news={state.news} onClose={() => saver.forgetNews()} />
      )}
      {state.status === 'refused' && (
        <RefusedLine problem={state.problem} workflowId={workflowId} />
      )}
      {state.conflicts.length > 0 && <ConflictBox workflowId={workflowId} />}
    </>
  );
}

type KeptProps = { kept: Kept; onDiscard: () => void; children: ReactNode };

/** @param children what can be done with the edits but to discard them. */
export function KeptLine({ kept: { steps, at }, onDiscard, children }: KeptProps) {
  return (
    <Line
      actions={
        <>
          {children}
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onDiscard}>
            Discard
          </Button>
        </>
      }
    >
      {plural(steps.length, 'edit')} of yours from <When at={new Date(at).toISOString()} />{' '}
      {steps.length === 1 ? 'was' : 'were'} never saved: {few(steps.map(({ words }) => words))}
    </Line>
  );
}

const most = 2;

/** Some of them, and how many more. */
function few(words: readonly string[]): string {
  const more = words.length - most;
  return words.slice(0, most).join(', ') + (more > 0 ? `, and ${more} more` : '');
}

/** The line comes into a live region that is there before. */
function NewsLine({ news, onClose }: { news: News; onClose: () => void }) {
  const nameOf = useNames();
  const who = news.by === undefined ? 'Somebody' : nameOf(news.by);
  const where = who === 'You' ? ', in another tab,' : '';
  return (
    <Line actions={<CloseButton size="sm" aria-label="Close" onClick={onClose} />}>
      {who}
      {where} changed this draft: {few(news.words)}.{news.isMerged && ' Your own changes are kept.'}
    </Line>
  );
}

function RefusedLine({ problem, workflowId }: { problem: unknown; workflowId: number }) {
  const { keep, isPending, error } = useNewVersion(workflowId);
  return (
    <Line
      tone="bad"
      actions={
        <Button size="compact-sm" loading={isPending} onClick={keep}>
          Keep mine as a new version
        </Button>
      }
    >
      This could not be saved. {wordsOf(problem).message}
      {error != null && ` It could not be kept as a new version either. ${wordsOf(error).message}`}
    </Line>
  );
}

type LineProps = { children: ReactNode; actions: ReactNode; tone?: 'bad' };

const Line = ({ children, actions, tone }: LineProps) => (
  <div className={classes.line} data-tone={tone}>
    <Text size="sm" component="p" role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </Text>
    <Group gap={6} wrap="nowrap">
      {actions}
    </Group>
  </div>
);
