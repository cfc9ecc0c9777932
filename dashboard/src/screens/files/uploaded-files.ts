/** Shows uploaded files in the lists as they arrive. */

import type { Cog } from '@cogworks/sdk/contract.gen';
import { useEffect } from 'react';
import { useListings } from './listings.ts';
import { uploads } from './uploads.ts';

/** Many small files are shown together. */
const pause_ms = 300;
/** What else they change, such as folders that came with them, is asked for less often. */
const reload_ms = 3000;

export function useUploadedFiles() {
  const listings = useListings();
  useEffect(() => {
    const timers: Partial<Record<'show' | 'reload', ReturnType<typeof setTimeout>>> = {};
    let arrived: Cog[] = [];
    let reloaded_ms = Number.NEGATIVE_INFINITY;
    const show = () => {
      delete timers.show;
      listings.show(arrived);
      arrived = [];
      timers.reload ??= setTimeout(reload, reloaded_ms + reload_ms - performance.now());
    };
    const reload = () => {
      delete timers.reload;
      reloaded_ms = performance.now();
      void listings.reload();
    };
    const stop = uploads.onStored((cog) => {
      arrived.push(cog);
      timers.show ??= setTimeout(show, pause_ms);
    });
    return () => {
      stop();
      clearTimeout(timers.show);
      clearTimeout(timers.reload);
    };
  }, [listings]);
}
