/** Above the canvas: which file a test takes, and how far the test is. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text, Tooltip } from '@mantine/core';
import { IconFlask, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api.ts';
import { wordsOf } from '../../../ui/await.tsx';
import { LongName } from '../../../ui/long-name.tsx';
import { RunLink } from '../../../ui/run-link.tsx';
import { selectedKeys, titleOf } from '../canvas/commands.ts';
import { useEditorState } from '../editor.ts';
import classes from './test.module.css';
import { TestSampleDialog } from './test-sample-dialog.tsx';
import { useTester, useTestState } from './testing.ts';
import type { useStartTest } from './use-start-test.ts';

type Props = { test: ReturnType<typeof useStartTest> };

export function TestBar({ test: { start, asked, close } }: Props) {
  const tester = useTester();
  const [isChanging, setChanging] = useState(false);
  const only = useEditorState((state) => {
    const keys = selectedKeys(state);
    return keys.length === 1 ? keys[0] : undefined;
  });
  const title = useEditorState(({ graph }) => only && titleOf(graph, only));
  if (!tester) return null;
  return (
    <section className={classes.bar} aria-label={t`Test`}>
      <SampleButton onClick={() => setChanging(true)} />
      <Tooltip
        label={title ? t`Runs ${title} and what leads to it` : t`Select the step to test up to`}
      >
        <Button
          size="compact-sm"
          leftSection={<IconPlayerPlay size={15} aria-hidden />}
          data-disabled={only === undefined}
          aria-disabled={only === undefined}
          onClick={() => {
            if (only !== undefined) start(only);
          }}
        >
          <Trans>Test up to here</Trans>
        </Button>
      </Tooltip>
      <Progress />
      {(isChanging || asked !== undefined) && (
        <TestSampleDialog
          onClose={() => {
            setChanging(false);
            close();
          }}
          onDone={() => {
            setChanging(false);
            if (asked !== undefined) start(asked);
          }}
        />
      )}
    </section>
  );
}

function SampleButton({ onClick }: { onClick: () => void }) {
  const { cog_ids } = useTestState((state) => state.sample);
  const [first] = cog_ids;
  const { data: cog } = useQuery({
    queryKey: ['cog', first],
    queryFn: () => api.getCog({ path: { id: first ?? 0 } }),
    enabled: first !== undefined,
    retry: false,
  });
  const name =
    cog_ids.length > 1
      ? plural(cog_ids.length, { one: '# sample file', other: '# sample files' })
      : cog?.name;
  return (
    <Button
      size="compact-sm"
      variant="default"
      leftSection={<IconFlask size={15} aria-hidden />}
      className={classes.sample ?? ''}
      onClick={onClick}
    >
      {name ? <LongName name={name} /> : t`Choose a sample file`}
    </Button>
  );
}

function Progress() {
  const last = useTestState((state) => state.last);
  const error = useTestState((state) => state.error);
  const tested = useTestState((state) => state.tested);
  const title = useEditorState(({ graph }) => (last ? titleOf(graph, last.until) : ''));
  if (error) {
    return (
      <Text size="sm" c="var(--mantine-color-error)" role="alert" className={classes.told}>
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
    <Text size="sm" className={classes.told} role="status">
      {reused === 0 ? words : `${words}, ${takenOver}`}{' '}
      {last.runId !== undefined && <RunLink id={last.runId} />}
    </Text>
  );
}
