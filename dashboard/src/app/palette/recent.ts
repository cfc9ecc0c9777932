/** The places of this tab that were left last, for the palette. */
import type { AnyRouter } from '@tanstack/react-router';

export type Place = { href: string; label: string };

const key = 'cogworks.recent';
const mostKept = 8;

export function recentPlaces(): Place[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(key) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isPlace) : [];
  } catch {
    return [];
  }
}

const isPlace = (one: unknown): one is Place =>
  typeof one === 'object' && one !== null && 'href' in one && 'label' in one;

/** Notes each page when it is left, since its title is known by then. */
export function followPlaces(router: AnyRouter): () => void {
  return router.subscribe('onBeforeNavigate', ({ fromLocation, pathChanged }) => {
    if (!fromLocation || !pathChanged) return;
    const label = document.title.replace(/ · Cogworks$/, '');
    const { href } = fromLocation;
    const others = recentPlaces().filter((one) => one.href !== href);
    try {
      sessionStorage.setItem(key, JSON.stringify([{ href, label }, ...others].slice(0, mostKept)));
    } catch {
      // A browser that keeps nothing shows none.
    }
  });
}
