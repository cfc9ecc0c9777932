/** A small picture of a file, drawn by the service; its icon while or if there is none. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { ApiError } from '@cogworks/sdk/errors';
import { Slots } from '@cogworks/sdk/slots';
import { wait } from '@cogworks/sdk/wait';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api } from '../api.ts';
import { isFolder } from '../cogs.ts';
import { FileIcon } from '../ui/file-icon.tsx';
import classes from './preview.module.css';
import { Preview } from './preview.tsx';
import { previewKind } from './preview-kind.ts';
import { Waiting } from './waiting.tsx';

type Size = 256 | 1024;

/** In the side panel; it spares the whole of a large file. */
export function PanelPreview({ cog }: { cog: Cog }) {
  const { src, isMissing } = usePicture(cog, 1024);
  if (isMissing) return <Preview cog={cog} size="panel" />;
  if (!src) return <Waiting />;
  return <img className={classes.image} data-size="panel" src={src} alt={cog.name} />;
}

export function Tile({ cog }: { cog: Cog }) {
  const picture = usePicture(cog, 256);
  if (picture.src)
    return <img className={classes.tile} src={picture.src} alt="" draggable={false} />;
  return <FileIcon isFolder={isFolder(cog)} mime_type={cog.mime_type} size={46} />;
}

/** `src` is the address of the picture; `isMissing` says that there is none. */
export function usePicture(cog: Cog, size: Size) {
  const kind = previewKind(cog.mime_type);
  const isDrawn = kind === 'image' || kind === 'pdf';
  const { data } = useQuery({
    queryKey: ['picture', cog.id, cog.version, size],
    queryFn: ({ signal }) => loadPicture(cog, size, signal),
    enabled: isDrawn,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  const [src, setSrc] = useState<string>();
  useEffect(() => {
    if (!data) return;
    const url = URL.createObjectURL(data);
    setSrc(url);
    return () => {
      setSrc(undefined);
      URL.revokeObjectURL(url);
    };
  }, [data]);
  return { src, isMissing: !isDrawn || data === null };
}

const slots = new Slots(4);
/** While one scrolls fast, pictures that are out of view again are not asked for. */
const pause_ms = 150;
/** The limit of requests is for all that the user does, so pictures take half of it. */
const perMinute = 100;
let asked: readonly number[] = [];

/** @returns null if there is none. */
async function loadPicture({ id, version }: Cog, size: Size, signal: AbortSignal) {
  await wait(pause_ms, signal);
  return slots.run(async () => {
    try {
      for (;;) {
        await waitForTurn(signal);
        const query = { size, ...(version && { version }) };
        const response = await api.previewCog({ path: { id }, query, signal });
        if (response.status === 200) return await response.blob();
        // It is being drawn.
        await wait(2000, signal);
      }
    } catch (error) {
      if (error instanceof ApiError && error.status !== 429) return null;
      throw error;
    }
  }, signal);
}

async function waitForTurn(signal: AbortSignal) {
  for (;;) {
    const now = Date.now();
    asked = asked.filter((time) => time > now - 60_000);
    const [oldest] = asked;
    if (oldest === undefined || asked.length < perMinute) break;
    await wait(oldest + 60_000 - now, signal);
  }
  asked = [...asked, Date.now()];
}
