/** The name of the organization; admins can change it. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { NameDialog } from '../../name-dialog.tsx';
import { useOrganization, useRenameOrganization } from '../../organization.ts';

export function OrganizationName({ mayRename }: { mayRename: boolean }) {
  const { data } = useOrganization();
  const [isRenaming, setRenaming] = useState(false);
  const rename = useRenameOrganization();
  if (!data) return '…';
  const close = () => {
    setRenaming(false);
    rename.reset();
  };
  return (
    <>
      <Trans>
        The people of <strong style={{ overflowWrap: 'anywhere' }}>{data.name}</strong>
      </Trans>
      {mayRename && (
        <Anchor component="button" fz="sm" ml={10} onClick={() => setRenaming(true)}>
          <Trans>Rename</Trans>
        </Anchor>
      )}
      <NameDialog
        opened={isRenaming}
        title={t`Rename the organization`}
        verb={t`Rename`}
        name={data.name}
        isBusy={rename.isPending}
        error={rename.error}
        onSubmit={(name) =>
          rename.mutate(name, {
            onSuccess: () => {
              notifications.show({ message: t`The organization is now called “${name}”.` });
              close();
            },
          })
        }
        onClose={close}
      />
    </>
  );
}
