/** Above the canvas and the list: which file a test takes, and how far the test is. */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text, Tooltip } from '@mantine/core';
import { IconFlask, IconPlayerPlay } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { memo, useState } from 'react';
import { api } from '../../../api.ts';
import { useCommands } from '../../../commands/use-commands.ts';
import { LongName } from '../../../ui/long-name.tsx';
import { useBuilderAddress } from '../address.ts';
import { useEditorState } from '../editor.ts';
import { useIsNarrow } from '../narrow.ts';
import { selectedKeys } from '../selection.ts';
import { shortTitleOf, titleOf } from '../step-words.ts';
import { Progress } from './progress.tsx';
import classes from './test.module.css';
import { TestSampleDialog } from './test-sample-dialog.tsx';
import { useTester, useTestState } from './testing.ts';
import { useStartTest } from './use-start-test.ts';

type Props = { isOnCanvas?: boolean };

/**
 * Remembered, as the canvas draws each time a card has moved.
 *
 * @param props.isOnCanvas lies on it, else it is a line of its own.
 */
export const TestBar = memo(function TestBar({ isOnCanvas = false }: Props) {
  const tester = useTester();
  const start = useStartTest();
  const asked = useTestState((state) => state.asked);
  const [isChanging, setChanging] = useState(false);
  const isToldAbove = useIsToldAbove() && !isOnCanvas;
  const only = useEditorState((state) => {
    const keys = selectedKeys(state);
    return keys.length === 1 ? keys[0] : undefined;
  });
  const title = useEditorState(({ graph }) => only && titleOf(graph, only));
  useCommands(
    tester
      ? [
          {
            ...{ id: 'test', label: t`Test up to here`, icon: IconPlayerPlay },
            about: title ? t`Runs ${title} and what leads to it` : undefined,
            reason: title ? undefined : t`Select the step to test up to`,
            run: () => {
              if (only !== undefined) start(only);
            },
          },
          {
            ...{ id: 'sample', label: t`Choose what to test with…`, icon: IconFlask },
            ...{ words: t`sample file`, run: () => setChanging(true) },
          },
        ]
      : [],
  );
  if (!tester) return null;
  const close = () => {
    setChanging(false);
    tester.store.set({ asked: undefined });
  };
  return (
    <section
      className={classes.bar}
      data-place={isOnCanvas ? 'canvas' : 'list'}
      aria-label={t`Test`}
    >
      <SampleButton onClick={() => setChanging(true)} />
      {isOnCanvas ? <TestHere only={only} /> : <TestSelected only={only} />}
      <Progress isQuiet={isToldAbove} />
      {(isChanging || asked !== undefined) && (
        <TestSampleDialog
          onClose={close}
          onDone={() => {
            close();
            if (asked !== undefined) start(asked);
          }}
        />
      )}
    </section>
  );
});

/** On a phone the drawer of the results lies above, and tells how far the test is. */
function useIsToldAbove(): boolean {
  const { panel } = useBuilderAddress();
  const isNarrow = useIsNarrow();
  const isOfShown = useTestState(({ last, shown }) => last === undefined || last.until === shown);
  return isNarrow && panel === 'results' && isOfShown;
}

type StartProps = { only: string | undefined };

function TestHere({ only }: StartProps) {
  const start = useStartTest();
  const title = useEditorState(({ graph }) => only && titleOf(graph, only));
  return (
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
  );
}

/** In characters: on a phone it stands beside the sample, or below it. */
const mostOfTitle = 26;

/** Names the step: it may be out of view, and a finger finds no tooltip. */
function TestSelected({ only }: StartProps) {
  const start = useStartTest();
  const title = useEditorState(({ graph }) => only && titleOf(graph, only));
  const short = useEditorState(({ graph }) => only && shortTitleOf(graph, only, mostOfTitle));
  if (only === undefined || !title) {
    return (
      <Text size="xs" c="var(--faint)">
        <Trans>Select the step to test up to</Trans>
      </Text>
    );
  }
  return (
    <Button
      size="compact-sm"
      leftSection={<IconPlayerPlay size={15} aria-hidden />}
      title={t`Runs ${title} and what leads to it`}
      onClick={() => start(only)}
    >
      <Trans>Test up to {short}</Trans>
    </Button>
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
