/** Where the content of a file comes from, and what was made from it. */

import type { Cog, Provenance } from '@cogworks/sdk/contract.gen';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { api } from '../../../../api.ts';
import { useNames } from '../../../../people.ts';
import { Await, LoadingRows } from '../../../../ui/await.tsx';
import { formatWhen } from '../../../../ui/format.ts';
import { Section } from '../section.tsx';
import { Inputs } from './inputs.tsx';
import { MadeFacts } from './made-facts.tsx';
import { MakeAgain } from './make-again.tsx';
import classes from './origin.module.css';
import { originSentences } from './origin-words.ts';
import { Sentence } from './sentence.tsx';
import { UsedIn } from './used-in.tsx';

/** The hash of an address that leads here. */
export const originHash = 'origin';

export function Origin({ cog }: { cog: Cog }) {
  const query = useQuery({
    queryKey: ['provenance', cog.id, cog.version],
    queryFn: () => api.getProvenance({ path: { id: cog.id } }),
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
      <Section title="Where it comes from">
        <Await query={query} loading={<LoadingRows rows={1} />}>
          {(told) => <Told key={`${told.cog_id} ${told.version}`} told={told} />}
        </Await>
      </Section>
      {query.data && <MadeFromIt told={query.data} />}
    </div>
  );
}

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
    <Section title="What was made from it">
      {told.used_in.length === 0 ? (
        <Text size="sm" c="var(--faint)">
          Nothing yet.
        </Text>
      ) : (
        <UsedIn key={told.cog_id} told={told} />
      )}
    </Section>
  );
}
