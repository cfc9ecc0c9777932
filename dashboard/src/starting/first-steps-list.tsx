/** The list of a newcomer's first steps, until it is put away. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Title, VisuallyHidden } from '@mantine/core';
import { IconCircle, IconCircleCheckFilled } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type Done, useFirstSteps } from './first-steps-done.ts';
import { hideFirstSteps, useIsShowingFirstSteps } from './first-steps-memory.ts';
import classes from './starting.module.css';

export function FirstSteps() {
  const isShown = useIsShowingFirstSteps();
  return isShown ? <Steps /> : null;
}

function Steps() {
  const { data: done } = useFirstSteps();
  if (!done) return null;
  const count = steps.filter(({ key }) => done[key]).length;
  return (
    <section className={classes.steps} aria-labelledby="first-steps">
      <div className={classes.head}>
        <Title order={2} id="first-steps">
          <Trans>
            First steps, {count} of {steps.length} done
          </Trans>
        </Title>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          c="var(--faint)"
          title={t`In this browser; it does not come back`}
          onClick={hideFirstSteps}
        >
          {count === steps.length ? t`Done, hide this` : t`Hide this list`}
        </Button>
      </div>
      <ol className={classes.list}>
        {steps.map(({ key, title, words }) => (
          <li key={key} className={classes.step} data-done={done[key]}>
            {done[key] ? (
              <IconCircleCheckFilled size={20} aria-hidden />
            ) : (
              <IconCircle size={20} stroke={1.5} aria-hidden />
            )}
            <div>
              <b>
                {title}
                <VisuallyHidden>, {done[key] ? t`done` : t`to do`}</VisuallyHidden>
              </b>
              {words}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

const steps: readonly { key: keyof Done; title: string; words: ReactNode }[] = [
  { key: 'signed_in', title: t`Sign in`, words: t`You are in.` },
  {
    key: 'first_run',
    title: t`A first run`,
    words: (
      <Trans>
        <Link to="/start">Choose a template</Link> and run it on samples.
      </Trans>
    ),
  },
  {
    key: 'own_file',
    title: t`A file of your own`,
    words: (
      <Trans>
        Upload one in <Link to="/files">Files</Link>, choose it, and press “Run workflow…”.
      </Trans>
    ),
  },
  {
    key: 'own_version',
    title: t`A version of your own`,
    words: (
      <Trans>
        Open one of your <Link to="/workflows">workflows</Link>, change a step, and publish it.
      </Trans>
    ),
  },
];
