/** Holds keys back while a dialog is on its way, so that the page does not act on them. */

type Options = {
  onEscape: () => void;
  /** Keys that go on. */
  isFree?: (event: KeyboardEvent) => boolean;
};

/**
 * Until released, only capture listeners of the window that were added earlier hear of a key, and
 * nothing is typed, copied, cut or pasted. Tab, F5 and the shortcuts of the browser stay its own.
 *
 * @returns releases the keys.
 */
export function holdKeys({ onEscape, isFree }: Options): () => void {
  const ending = new AbortController();
  const options = { capture: true, signal: ending.signal };
  const hold = (event: KeyboardEvent) => {
    if (event.isComposing || isFree?.(event)) return;
    event.stopImmediatePropagation();
    const isCombined = event.ctrlKey || event.metaKey || event.altKey;
    // The browser would go to its address, or select the page.
    const isAlsoOurs = /^[ak]$/i.test(event.key);
    if (isCombined ? !isAlsoOurs : /^(Tab|F\d+)$/.test(event.key)) return;
    event.preventDefault();
    if (event.key === 'Escape') onEscape();
  };
  // Some browsers press a button as Space is let go, whatever became of the key before. That keys
  // are let go must be heard: the canvas counts those that are down.
  const letGo = (event: KeyboardEvent) => {
    if (event.key === ' ' && !isFree?.(event)) event.preventDefault();
  };
  const stop = (event: Event) => {
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  addEventListener('keydown', hold, options);
  addEventListener('keyup', letGo, options);
  for (const name of ['beforeinput', 'copy', 'cut', 'paste']) addEventListener(name, stop, options);
  return () => ending.abort();
}
