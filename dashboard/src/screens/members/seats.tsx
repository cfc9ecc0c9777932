/** How many seats are taken; nothing for an organization without a limit. */
import { plural, t } from '@lingui/core/macro';
import { Progress } from '@mantine/core';
import { useSubscription } from '../../organization.ts';
import { formatCount } from '../../ui/format.ts';
import classes from './members.module.css';

export function Seats() {
  const { data } = useSubscription();
  if (data?.seats_limit === undefined) return null;
  const { seats_used, seats_limit } = data;
  const isFull = seats_used >= seats_limit;
  const used = formatCount(seats_used);
  return (
    <div className={classes.seats}>
      <Progress
        value={Math.min(100, (100 * seats_used) / seats_limit)}
        size="sm"
        color={isFull ? 'orange' : 'petrol'}
        aria-label={t`Seats taken`}
        mb={6}
      />
      {isFull
        ? plural(seats_limit, {
            one: `${used} of # seat taken: take back an invitation or disable somebody to invite others`,
            other: `${used} of # seats taken: take back an invitation or disable somebody to invite others`,
          })
        : plural(seats_limit, {
            one: `${used} of # seat taken`,
            other: `${used} of # seats taken`,
          })}
    </div>
  );
}
