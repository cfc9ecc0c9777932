/** Turns a trigger on or off, for those who may. */
import type { Trigger } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Switch } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMe } from '../people.ts';
import { wordsOf } from '../ui/await.tsx';
import { useChangeTrigger } from './queries.ts';
import { maySwitch } from './rights.ts';

export function TriggerSwitch({ trigger }: { trigger: Trigger }) {
  const { data: me } = useMe();
  const change = useChangeTrigger();
  const { name } = trigger;
  const wanted = change.isPending ? change.variables.changes.enabled : undefined;
  return (
    <Switch
      aria-label={t`${name} is on`}
      checked={wanted ?? trigger.enabled}
      disabled={!maySwitch(trigger, me)}
      onChange={({ currentTarget }) =>
        change.mutate(
          { id: trigger.id, changes: { enabled: currentTarget.checked } },
          {
            onError: (error) =>
              notifications.show({
                color: 'red',
                title: t`This trigger could not be changed`,
                message: wordsOf(error).message,
              }),
          },
        )
      }
    />
  );
}
