/** Keys while something that takes them is on its way: the page must not act on them. */

/**
 * Until it is called off, no listener but the window's earlier ones hears of a key, and nothing is
 * copied, cut or pasted. Tab, F5 and the like stay the browser's.
 *
 * @param onEscape is told of Escape.
 * @returns lets the keys go on.
 */
export function holdKeys(onEscape?: () => void): () => void {
  const ending = new AbortController();
  const options = { capture: true, signal: ending.signal };
  const hold = (event: KeyboardEvent) => {
    const isCombined = event.ctrlKey || event.metaKey || event.altKey;
    // The keys of the palette, which close it too.
    if (isCombined && event.key.toLowerCase() === 'k') return;
    event.stopImmediatePropagation();
    if (!isCombined && !/^(Tab|F\d+)$/.test(event.key)) event.preventDefault();
    if (event.key === 'Escape') onEscape?.();
  };
  const stop = (event: Event) => event.stopImmediatePropagation();
  addEventListener('keydown', hold, options);
  for (const name of ['copy', 'cut', 'paste']) addEventListener(name, stop, options);
  return () => ending.abort();
}
