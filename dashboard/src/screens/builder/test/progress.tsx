/** How far the test is that was started last. */
import { plural, t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { wordsOf } from '../../../ui/await.tsx';
import { RunLink } from '../../../ui/run-link.tsx';
import { useEditorState } from '../editor.ts';
import { shortTitleOf } from '../step-words.ts';
import classes from './test.module.css';
import { useTestState } from './testing.ts';

/** In characters: it stands above what is tested, which is narrow on a phone. */
const mostOfTitle = 36;

/** @param props.isQuiet where another one tells the same to screen readers. */
export function Progress({ isQuiet = false }: { isQuiet?: boolean }) {
  const last = useTestState((state) => state.last);
  const error = useTestState((state) => state.error);
  const tested = useTestState((state) => state.tested);
  const title = useEditorState(({ graph }) =>
    last ? shortTitleOf(graph, last.until, mostOfTitle) : '',
  );
  if (error) {
    return (
      <Text
        size="sm"
        c="var(--mantine-color-error)"
        role={isQuiet ? undefined : 'alert'}
        className={classes.told}
      >
        {wordsOf(error).message}
      </Text>
    );
  }
  if (!last) return null;
  const runs = [...tested.values()]
    .filter(({ runId }) => runId === last.runId)
    .flatMap((one) => one.runs);
  const reused = runs.filter(({ cached, reused_from_node_run_id: from }) => cached || from).length;
  const words = {
    starting: t`Saving and starting …`,
    queued: t`Testing up to ${title} …`,
    running: t`Testing up to ${title} …`,
    success: t`Tested up to ${title}`,
    partial_success: t`Tested up to ${title}, with failures`,
    failure: t`Failed before or at ${title}`,
    cancelled: t`The test was cancelled`,
  }[last.status];
  const takenOver = plural(reused, { one: '# step taken over', other: '# steps taken over' });
  return (
    <Text size="sm" className={classes.told} role={isQuiet ? undefined : 'status'}>
      {reused === 0 ? words : `${words}, ${takenOver}`}{' '}
      {last.runId !== undefined && <RunLink id={last.runId} />}
    </Text>
  );
}
