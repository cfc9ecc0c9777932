/** A preview of a file of which only the id is known. */
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api } from '../api.ts';
import { LoadingRows } from '../ui/await.tsx';
import { PanelPreview } from './picture.tsx';

export const useCog = (id: number) =>
  useQuery({ queryKey: ['cog', id], queryFn: () => api.getCog({ path: { id } }) });

/** @param label what it is called for those who do not see it, where its name is not enough. */
export function CogPreview({ id, label }: { id: number; label?: string }) {
  const { data: cog, error } = useCog(id);
  if (error)
    return (
      <Text size="xs" c="var(--faint)">
        <Trans>This file is no longer there.</Trans>
      </Text>
    );
  if (!cog) return <LoadingRows rows={2} />;
  return <PanelPreview cog={label === undefined ? cog : { ...cog, name: label }} />;
}
