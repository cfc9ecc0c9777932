/** What can be done with what is in the trash. */

import type { Me, TrashedCog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { IconArrowBackUp, IconTrashX } from '@tabler/icons-react';
import type { Actions } from '../../ui/rows/actions.ts';

export type TrashAction = 'restore' | 'purge';

export const trashActions = (me: Me | undefined): Actions<TrashedCog, TrashAction> => [
  {
    kind: 'restore',
    label: t`Restore`,
    icon: IconArrowBackUp,
    key: 'R',
    isOffered: () => true,
    isAllowed: () => true,
  },
  {
    kind: 'purge',
    label: t`Delete for ever…`,
    icon: IconTrashX,
    key: 'Delete',
    isDanger: true,
    isOffered: () => true,
    isAllowed: (cogs) => me?.role === 'admin' || cogs.every((cog) => cog.owner_id === me?.id),
  },
];
