/** The content of a file, shown in the page if its type allows that. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { api } from '../api.ts';
import { ownAddress, useDownload } from '../downloads.ts';
import { randomKey } from '../request-key.ts';
import { FileIcon } from '../ui/file-icon.tsx';
import classes from './preview.module.css';
import { previewKind } from './preview-kind.ts';
import { TextPreview } from './text-preview.tsx';
import { Waiting } from './waiting.tsx';

const PdfPreview = lazy(async () => ({
  default: (await import('./pdf-preview.tsx')).PdfPreview,
}));

type Props = { cog: Cog; size: 'panel' | 'full' };

export function Preview(props: Props) {
  const { cog, size } = props;
  const kind = previewKind(cog.mime_type);
  const url = usePreviewUrl(cog, kind !== undefined);
  const [hasFailed, setFailed] = useState(false);
  if (kind === undefined)
    return (
      <Nothing {...props}>
        <Trans>There is no preview of this type.</Trans>
      </Nothing>
    );
  if (hasFailed || url.error)
    return (
      <Nothing {...props}>
        <Trans>This file cannot be shown.</Trans>
      </Nothing>
    );
  if (!url.data) return <Waiting />;

  const fail = () => setFailed(true);
  const { data: src } = url;
  switch (kind) {
    case 'image':
      return (
        <img className={classes.image} data-size={size} src={src} alt={cog.name} onError={fail} />
      );
    case 'video':
      return (
        // biome-ignore lint/a11y/useMediaCaption: users' files have none
        <video className={classes.image} data-size={size} src={src} controls onError={fail}>
          {cog.name}
        </video>
      );
    case 'audio':
      return (
        // biome-ignore lint/a11y/useMediaCaption: users' files have none
        <audio className={classes.audio} src={src} controls onError={fail}>
          {cog.name}
        </audio>
      );
    case 'text':
      return <TextPreview src={src} name={cog.name} size={size} />;
    case 'pdf':
      return (
        <Suspense fallback={<Waiting />}>
          <PdfPreview src={src} name={cog.name} size={size} onError={fail} />
        </Suspense>
      );
  }
}

/**
 * An address that needs no token, as elements of the page cannot send one; players and the reader of
 * PDF files load from it only what they show. Of one version, so that it shows the same all along.
 */
function usePreviewUrl({ id, version }: Cog, isWanted: boolean) {
  return useQuery({
    queryKey: ['preview', id, version],
    queryFn: async () => {
      const body = { inline: true, expires_in: 7200, ...(version && { version }) };
      const asked = { path: { id }, body, idempotencyKey: randomKey() };
      return ownAddress((await api.createDownloadUrl(asked)).url);
    },
    enabled: isWanted,
    staleTime: 3_600_000,
    gcTime: 3_600_000,
  });
}

function Nothing({ cog, size, children }: Props & { children: ReactNode }) {
  const download = useDownload();
  return (
    <div className={classes.nothing}>
      <FileIcon isFolder={false} mime_type={cog.mime_type} size={44} />
      <span>{children}</span>
      {/* Beside the list it is below. */}
      {size === 'full' && (
        <Button
          variant="default"
          loading={download.isPending}
          onClick={() => download.mutate([cog])}
        >
          <Trans>Download</Trans>
        </Button>
      )}
    </div>
  );
}
