/** Above the drawing: what others changed, what could not be saved, what an earlier visit left. */
import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Button, CloseButton, Group, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMe, useNames } from '../../../people.ts';
import { wordsOf } from '../../../ui/await.tsx';
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
            <Trans>Bring them back</Trans>
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
  const count = steps.length;
  const iso = new Date(at).toISOString();
  const edits = few(steps.map(({ words }) => words));
  return (
    <Line
      actions={
        <>
          {children}
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onDiscard}>
            <Trans>Discard</Trans>
          </Button>
        </>
      }
    >
      <Trans>
        <Plural value={count} one="# edit" other="# edits" /> of yours from <When at={iso} />{' '}
        <Plural value={count} one="was" other="were" /> never saved: {edits}
      </Trans>
    </Line>
  );
}

const most = 2;

/** Some of them, and how many more. */
function few(words: readonly string[]): string {
  const more = words.length - most;
  const shown = words.slice(0, most).join(', ');
  if (more <= 0) return shown;
  return plural(more, { one: `${shown}, and # more`, other: `${shown}, and # more` });
}

/** The line comes into a live region that is there before. */
function NewsLine({ news, onClose }: { news: News; onClose: () => void }) {
  const nameOf = useNames();
  const { data: me } = useMe();
  const name = news.by === undefined ? t`Somebody` : nameOf(news.by);
  const isMe = news.by !== undefined && news.by === me?.id;
  const changes = few(news.words);
  return (
    <Line actions={<CloseButton size="sm" aria-label={t`Close`} onClick={onClose} />}>
      {isMe
        ? t`You, in another tab, changed this draft: ${changes}.`
        : t`${name} changed this draft: ${changes}.`}{' '}
      {news.isMerged && <Trans>Your own changes are kept.</Trans>}
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
          <Trans>Keep mine as a new version</Trans>
        </Button>
      }
    >
      <Trans>This could not be saved.</Trans> {wordsOf(problem).message}
      {error != null && (
        <>
          {' '}
          <Trans>It could not be kept as a new version either.</Trans> {wordsOf(error).message}
        </>
      )}
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
