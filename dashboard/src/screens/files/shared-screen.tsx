/** Shared with me: what others have given access to, wherever it is. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconUsers } from '@tabler/icons-react';
import { Empty } from '../../ui/empty.tsx';
import { Screen } from '../../ui/screen.tsx';
import { sharedColumns } from './file-columns.tsx';
import { ListView } from './list-view.tsx';
import { PlacesMenu } from './places-menu.tsx';
import { useSharedWithMe } from './queries.ts';
import { ViewTools } from './view-tools.tsx';

export function SharedScreen() {
  return (
    <Screen title={t`Shared with me`} actions={<ViewTools />}>
      <PlacesMenu />
      <ListView
        list={useSharedWithMe()}
        columns={sharedColumns}
        empty={
          <Empty
            icon={<IconUsers size={30} stroke={1.5} />}
            title={t`Nothing is shared with you yet`}
          >
            <Trans>Files and folders that others share with you are listed here.</Trans>
          </Empty>
        }
      />
    </Screen>
  );
}
