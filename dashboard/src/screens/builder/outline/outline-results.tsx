/** The results of a step beside the list: a drawer on a phone, else below the list, which stays. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Title } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useCallback, useEffect, useRef } from 'react';
import { useBuilderAddress, useSetAddress } from '../address.ts';
import { narrow, useIsNarrow } from '../narrow.ts';
import { PanelDrawer } from '../panel-drawer.tsx';
import { Progress } from '../test/progress.tsx';
import { Results, useShownStep } from '../test/results.tsx';
import { StepsOfTest } from '../test/steps-of-test.tsx';
import type { Tester } from '../test/tester.ts';
import { type Shown, useTester, useTestState } from '../test/testing.ts';
import classes from './outline.module.css';
import { focusStep } from './row-focus.ts';

/** Opens what the last test showed of a step, if it had a part in one, and leads the focus there. */
export function useOpenResults(): (key: string) => void {
  const tester = useTester();
  const setAddress = useSetAddress();
  return useCallback(
    (key) => {
      if (!tester?.store.get().tested.has(key)) return;
      tester.store.set({ shown: key });
      if (matchMedia(narrow).matches) setAddress({ panel: 'results' });
      else setTimeout(() => document.querySelector<HTMLElement>('[data-results-title]')?.focus());
    },
    [tester, setAddress],
  );
}

export function OutlineResults() {
  const tester = useTester();
  const isNarrow = useIsNarrow();
  const step = useShownStep();
  if (!tester) return null;
  if (isNarrow) return <ResultDrawer tester={tester} step={step} />;
  return step?.shown ? <ResultSheet key={step.key} tester={tester} step={step} /> : null;
}

type Step = NonNullable<ReturnType<typeof useShownStep>>;

function ResultSheet({ tester, step: { key, title, shown } }: { tester: Tester; step: Step }) {
  const close = () => {
    tester.store.set({ shown: undefined });
    focusStep(key);
  };
  return (
    <section
      className={classes.results}
      aria-label={t`Results of ${title}`}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) close();
      }}
    >
      <header className={classes.resultsHead}>
        <Title order={2} fz="sm" tabIndex={-1} data-results-title>
          <Trans>Results of {title}</Trans>
        </Title>
        <ActionIcon aria-label={t`Close the results`} onClick={close}>
          <IconX size={17} />
        </ActionIcon>
      </header>
      {shown && <Results nodeKey={key} shown={shown} />}
    </section>
  );
}

/** Whether anything of the step has begun; else those before it tell more. */
const hasWorked = (shown: Shown | undefined) =>
  shown?.tested.runs.some(({ status }) => status !== 'pending' && status !== 'skipped') ?? false;

/** Opens with the test, and leads back to the step. */
function ResultDrawer({ tester, step }: { tester: Tester; step: Step | undefined }) {
  const { panel } = useBuilderAddress();
  const setAddress = useSetAddress();
  const last = useTestState((state) => state.last);
  const isOpen = panel === 'results' && step !== undefined;
  const key = step?.key;
  const content = useRef<HTMLDivElement>(null);
  const backTo = useRef(key);
  useEffect(() => {
    if (last?.status !== 'starting') return;
    tester.store.set({ shown: last.until });
    setAddress({ panel: 'results' });
  }, [tester, last, setAddress]);
  useEffect(() => {
    if (key !== undefined) backTo.current = key;
  }, [key]);
  useEffect(() => {
    if (!isOpen) return;
    return () => focusStep(backTo.current ?? '');
  }, [isOpen]);
  const showOther = (other: string) => {
    tester.store.set({ shown: other });
    // What had the focus is gone.
    content.current?.focus();
  };
  return (
    <PanelDrawer
      label={step ? t`Results of ${step.title}` : ''}
      opened={isOpen}
      onClose={() => setAddress({ panel: undefined })}
      returnFocus={false}
    >
      <div ref={content} tabIndex={-1} className={classes.resultsContent}>
        {(last === undefined || last.until === key) && (
          <div className={classes.resultsProgress}>
            <Progress />
          </div>
        )}
        {step && !hasWorked(step.shown) && (
          <StepsOfTest
            runId={step.shown?.tested.runId ?? last?.runId}
            except={step.key}
            onOpen={showOther}
          />
        )}
        {step?.shown && <Results key={key} nodeKey={step.key} shown={step.shown} />}
      </div>
    </PanelDrawer>
  );
}
