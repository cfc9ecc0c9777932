/** Shared with me: what others have given access to, wherever it is. */
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
    <Screen title="Shared with me" actions={<ViewTools />}>
      <PlacesMenu />
      <ListView
        list={useSharedWithMe()}
        columns={sharedColumns}
        empty={
          <Empty icon={<IconUsers size={30} stroke={1.5} />} title="Nothing is shared with you yet">
            Files and folders that others share with you are listed here.
          </Empty>
        }
      />
    </Screen>
  );
}
