/** Where the content of a file comes from, and what was made from it. */

import type { Cog, Provenance } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { api } from '../../../../api.ts';
import { useNames } from '../../../../people.ts';
import { Await, LoadingRows } from '../../../../ui/await.tsx';
import { formatWhen } from '../../../../ui/format.ts';
import { originHash } from '../origin-hash.ts';
import { Section } from '../section.tsx';
import { Inputs } from './inputs.tsx';
import { MadeFacts } from './made-facts.tsx';
import { MakeAgain } from './make-again.tsx';
import classes from './origin.module.css';
import { originSentences } from './origin-words.ts';
import { Sentence } from './sentence.tsx';
import { UsedIn } from './used-in.tsx';

export function Origin({ cog }: { cog: Cog }) {
  const { origin: asked } = useSearch({ strict: false });
  const query = useQuery({
    queryKey: ['provenance', cog.id, cog.version, asked],
    queryFn: () =>
      api.getProvenance({
        path: { id: cog.id },
        query: asked === undefined ? {} : { version: asked },
      }),
  });
  const isWanted = useLocation({ select: ({ hash }) => hash === originHash });
  const box = useRef<HTMLDivElement>(null);
  const isShown = query.data !== undefined;
  useEffect(() => {
    if (!isWanted || !isShown) return;
    box.current?.focus({ preventScroll: true });
    box.current?.scrollIntoView({ block: 'nearest' });
  }, [isWanted, isShown]);
  return (
    <div ref={box} className={classes.box} tabIndex={-1}>
      <Section
        title={asked === undefined ? t`Where it comes from` : t`Where version ${asked} comes from`}
        aside={asked !== undefined && <CurrentLink />}
      >
        <Await query={query} loading={<LoadingRows rows={1} />}>
          {(told) => <Told key={`${told.cog_id} ${told.version}`} told={told} />}
        </Await>
      </Section>
      {query.data && <MadeFromIt told={query.data} />}
    </div>
  );
}

const CurrentLink = () => (
  <Link
    to="."
    search={(old) => ({ ...old, origin: undefined })}
    resetScroll={false}
    className={classes.current}
  >
    <Trans>Of the current one</Trans>
  </Link>
);

function Told({ told }: { told: Provenance }) {
  const nameOf = useNames();
  const now = new Date();
  const sentences = originSentences(told, { nameOf, whenOf: (iso) => formatWhen(iso, now) });
  return (
    <>
      {sentences.map((sentence, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they never change places
        <Sentence key={index} parts={sentence} />
      ))}
      {told.made_by && (
        <>
          <Inputs told={told} />
          <MakeAgain told={told} made={told.made_by} />
          <MadeFacts made={told.made_by} />
        </>
      )}
    </>
  );
}

function MadeFromIt({ told }: { told: Provenance }) {
  return (
    <Section title={t`What was made from it`}>
      {told.used_in.length === 0 ? (
        <Text size="sm" c="var(--faint)">
          <Trans>Nothing yet.</Trans>
        </Text>
      ) : (
        <UsedIn key={told.cog_id} told={told} />
      )}
    </Section>
  );
}
