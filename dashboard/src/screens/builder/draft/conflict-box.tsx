/**
 * Two people changed the same thing: both values, and a choice for each. Beside the drawing, not
 * over it: who is editing goes on, and nothing of it is lost.
 */
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Radio, Stack, Text, Title } from '@mantine/core';
import { useId, useState } from 'react';
import { useMe, useNames } from '../../../people.ts';
import { wordsOf } from '../../../ui/await.tsx';
import classes from '../builder.module.css';
import { useNewVersion } from '../versions/new-version.ts';
import { useSaver, useSaverState } from './draft-context.ts';

type Choice = 'mine' | 'theirs';

export function ConflictBox({ workflowId }: { workflowId: number }) {
  const saver = useSaver();
  const state = useSaverState();
  const nameOf = useNames();
  const { data: me } = useMe();
  const id = useId();
  const [choices, setChoices] = useState<ReadonlyMap<string, Choice>>(new Map());
  const { keep, isPending, error } = useNewVersion(workflowId);
  if (!saver || !state) return null;
  const { conflicts, conflictBy } = state;
  const name = conflictBy === undefined ? t`Somebody` : nameOf(conflictBy);
  const isMe = conflictBy !== undefined && conflictBy === me?.id;
  return (
    <section role="dialog" aria-modal={false} aria-labelledby={id} className={classes.conflict}>
      <div role="alert">
        <Title order={2} size="sm" id={id}>
          {isMe
            ? plural(conflicts.length, {
                one: 'You, in another tab, changed the same thing as you',
                other: 'You, in another tab, changed the same # things as you',
              })
            : plural(conflicts.length, {
                one: `${name} changed the same thing as you`,
                other: `${name} changed the same # things as you`,
              })}
        </Title>
      </div>
      <Text size="sm" c="var(--faint)" mt={2} mb="sm">
        <Trans>
          Choose which to keep. You can go on editing meanwhile; the other value stays in the
          history.
        </Trans>
      </Text>
      <Stack gap="sm" className={classes.conflicts}>
        {conflicts.map((conflict) => {
          const { mine, theirs } = saver.wordsOf(conflict);
          return (
            <Radio.Group
              key={conflict.id}
              aria-label={mine}
              value={choices.get(conflict.id) ?? 'mine'}
              onChange={(value) =>
                setChoices((old) => new Map(old).set(conflict.id, value as Choice))
              }
            >
              <Stack gap={6}>
                <Radio value="mine" label={t`Yours: ${mine}`} />
                <Radio
                  value="theirs"
                  label={isMe ? t`The other tab: ${theirs}` : t`${name}: ${theirs}`}
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
          <Trans>Keep mine as a new version</Trans>
        </Button>
        <Button size="xs" onClick={() => saver.settle(choices)}>
          <Trans>Keep the chosen</Trans>
        </Button>
      </Group>
    </section>
  );
}
