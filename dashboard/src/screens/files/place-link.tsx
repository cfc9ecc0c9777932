/** Where a file or folder of a list is: a link to the folder, its whole path in a tooltip. */

import type { PlacedCog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Link } from '@tanstack/react-router';
import table from '../../ui/table.module.css';

type Above = NonNullable<PlacedCog['above']>;

export function PlaceLink({ above = [] }: { above: PlacedCog['above'] }) {
  const folder = above.at(-1);
  if (!folder) return null;
  const props = {
    className: table.place,
    title: above.map(nameOf).join(' / '),
    tabIndex: -1,
    draggable: false,
  };
  const words = above.slice(-2).map(nameOf).join(' / ');
  return folder.cog_type === 'master_folder' ? (
    <Link to="/files" {...props}>
      {words}
    </Link>
  ) : (
    <Link to="/files/$folderId" params={{ folderId: String(folder.id) }} {...props}>
      {words}
    </Link>
  );
}

const nameOf = ({ name, cog_type }: Above[number]) =>
  cog_type === 'master_folder' ? t`My Files` : name;
