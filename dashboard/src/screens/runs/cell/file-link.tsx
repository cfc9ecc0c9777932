/** A link to a file in its folder. */
import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

type Props = {
  folder: number;
  /** Which file of it is shown, and how. */
  search: { details: number | undefined } | { preview: number };
  children: ReactNode;
};

export const FileLink = ({ folder, search, children }: Props) => (
  <Anchor
    component={Link}
    size="sm"
    to="/files/$folderId"
    params={{ folderId: String(folder) } as never}
    search={search as never}
  >
    {children}
  </Anchor>
);
