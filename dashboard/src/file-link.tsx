/** A link to a file in its folder. */
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

type Props = {
  folder: number;
  /** Which file of it is shown, and how. */
  search: { details: number | undefined } | { preview: number };
  /** Opens a tab of its own, where this page would lose what it shows. */
  isApart?: boolean;
  children: ReactNode;
};

export const FileLink = ({ folder, search, isApart = false, children }: Props) => (
  <Anchor
    component={Link}
    size="sm"
    underline="always"
    to="/files/$folderId"
    params={{ folderId: String(folder) } as never}
    search={search as never}
    {...(isApart && { target: '_blank' })}
  >
    {children}
  </Anchor>
);
