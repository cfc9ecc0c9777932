/** The list of a newcomer's first steps, until it is put away. */
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
          First steps, {count} of {steps.length} done
        </Title>
        <Button
          size="compact-sm"
          variant="subtle"
          color="gray"
          c="var(--faint)"
          title="In this browser; it does not come back"
          onClick={hideFirstSteps}
        >
          {count === steps.length ? 'Done, hide this' : 'Hide this list'}
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
                <VisuallyHidden>{done[key] ? ', done' : ', to do'}</VisuallyHidden>
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
  { key: 'signed_in', title: 'Sign in', words: 'You are in.' },
  {
    key: 'first_run',
    title: 'A first run',
    words: (
      <>
        <Link to="/start">Choose a template</Link> and run it on samples.
      </>
    ),
  },
  {
    key: 'own_file',
    title: 'A file of your own',
    words: (
      <>
        Upload one in <Link to="/files">Files</Link>, choose it, and press “Run workflow…”.
      </>
    ),
  },
  {
    key: 'own_version',
    title: 'A version of your own',
    words: (
      <>
        Open one of your <Link to="/workflows">workflows</Link>, change a step, and publish it.
      </>
    ),
  },
];
