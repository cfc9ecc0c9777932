/** Who may do what with a trigger, as the service decides it; what it would refuse is not offered. */
import type { Me, Trigger } from '@cogworks/sdk/contract.gen';

type Owned = Pick<Trigger, 'run_as_user_id' | 'created_by'>;

/** Its user, who made it, and admins: look into it, turn it off, delete it. */
export const mayLookInto = ({ run_as_user_id, created_by }: Owned, me: Me | undefined): boolean =>
  me !== undefined && (me.role === 'admin' || [run_as_user_id, created_by].includes(me.id));

/** Its user and admins: start it, change it, turn it on. Its runs read what its user may see. */
export const mayUse = ({ run_as_user_id }: Owned, me: Me | undefined): boolean =>
  me !== undefined && (me.role === 'admin' || run_as_user_id === me.id);

export const maySwitch = (
  trigger: Owned & Pick<Trigger, 'enabled'>,
  me: Me | undefined,
): boolean => (trigger.enabled ? mayLookInto(trigger, me) : mayUse(trigger, me));
