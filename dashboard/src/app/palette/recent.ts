/** The places of this tab that its user left last, for the palette. */
import type { AnyRouter } from '@tanstack/react-router';

export type Place = { href: string; label: string };

/** Others may sign in in the same tab: names of files are not theirs to see. */
const keyOf = (userId: number) => `cogworks.recent.${userId}`;
const mostKept = 8;

export function recentPlaces(userId: number): Place[] {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(keyOf(userId)) ?? '[]');
    return Array.isArray(kept) ? kept.filter(isPlace) : [];
  } catch {
    return [];
  }
}

const isPlace = (one: unknown): one is Place =>
  typeof one === 'object' && one !== null && 'href' in one && 'label' in one;

/** Notes each page when it is left, since its title is known by then. */
export function followPlaces(router: AnyRouter, userId: number): () => void {
  return router.subscribe('onBeforeNavigate', ({ fromLocation, pathChanged }) => {
    if (!fromLocation || !pathChanged) return;
    const label = document.title.replace(/ · Cogworks$/, '');
    const { href } = fromLocation;
    const others = recentPlaces(userId).filter((one) => one.href !== href);
    try {
      const places = [{ href, label }, ...others].slice(0, mostKept);
      sessionStorage.setItem(keyOf(userId), JSON.stringify(places));
    } catch {
      // A browser that keeps nothing shows none.
    }
  });
}
