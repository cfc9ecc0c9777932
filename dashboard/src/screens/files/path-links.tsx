/** Links from the root to the parent folder; the folder itself is the title below. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { IconChevronRight } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useMoveByDrag } from './changes.ts';
import { useDropTarget } from './drag.ts';
import classes from './path-links.module.css';

export function PathLinks({ path }: { path: readonly Cog[] }) {
  return (
    <nav aria-label={t`Path`} className={classes.path}>
      {path.slice(0, -1).map((cog) => (
        <Step key={cog.id} cog={cog} />
      ))}
    </nav>
  );
}

function Step({ cog }: { cog: Cog }) {
  const drop = useDropTarget(cog, useMoveByDrag());
  return (
    <span className={classes.step}>
      <span className={classes.target} {...drop}>
        {cog.cog_type === 'master_folder' ? (
          <Link to="/files">
            <Trans>My Files</Trans>
          </Link>
        ) : (
          <Link to="/files/$folderId" params={{ folderId: String(cog.id) }}>
            {cog.name}
          </Link>
        )}
      </span>
      <IconChevronRight size={14} aria-hidden />
    </span>
  );
}
