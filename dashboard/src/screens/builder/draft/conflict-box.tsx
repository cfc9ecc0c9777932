/**
 * Two people changed the same thing: both values, and a choice for each. Beside the drawing, not
 * over it: who is editing goes on, and nothing of it is lost.
 */
import { Button, Group, Radio, Stack, Text, Title } from '@mantine/core';
import { useId, useState } from 'react';
import { useNames } from '../../../people.ts';
import { wordsOf } from '../../../ui/await.tsx';
import classes from '../builder.module.css';
import { useNewVersion } from '../versions/new-version.ts';
import { useSaver, useSaverState } from './draft-context.ts';

type Choice = 'mine' | 'theirs';

export function ConflictBox({ workflowId }: { workflowId: number }) {
  const saver = useSaver();
  const state = useSaverState();
  const nameOf = useNames();
  const id = useId();
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const { keep, isPending, error } = useNewVersion(workflowId);
  if (!saver || !state) return null;
  const { conflicts, conflictBy } = state;
  const name = conflictBy === undefined ? 'Somebody' : nameOf(conflictBy);
  const who = name === 'You' ? 'You, in another tab,' : name;
  const what = conflicts.length === 1 ? 'the same thing' : `the same ${conflicts.length} things`;
  return (
    <section role="dialog" aria-modal={false} aria-labelledby={id} className={classes.conflict}>
      <div role="alert">
        <Title order={2} size="sm" id={id}>
          {who} changed {what} as you
        </Title>
      </div>
      <Text size="sm" c="var(--faint)" mt={2} mb="sm">
        Choose which to keep. You can go on editing meanwhile; the other value stays in the history.
      </Text>
      <Stack gap="sm" className={classes.conflicts}>
        {conflicts.map((conflict) => {
          const words = saver.wordsOf(conflict);
          return (
            <Radio.Group
              key={conflict.id}
              aria-label={words.mine}
              value={choices.get(conflict.id) ?? 'mine'}
              onChange={(value) =>
                setChoices((old) => new Map(old).set(conflict.id, value as Choice))
              }
            >
              <Stack gap={6}>
                <Radio value="mine" label={`Yours: ${words.mine}`} />
                <Radio
                  value="theirs"
                  label={`${name === 'You' ? 'The other tab' : name}: ${words.theirs}`}
                />
              </Stack>
            </Radio.Group>
          );
        })}
      </Stack>
      {error != null && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert" mt="sm">
          {wordsOf(error).message}
        </Text>
      )}
      <Group justify="flex-end" gap="sm" mt="md">
        <Button variant="default" size="xs" loading={isPending} onClick={keep}>
          Keep mine as a new version
        </Button>
        <Button size="xs" onClick={() => saver.settle(choices)}>
          Keep the chosen
        </Button>
      </Group>
    </section>
  );
}
