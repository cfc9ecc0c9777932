/**
 * A `ref` for what has the focus in a dialog that reads something first: the dialog looks for
 * `data-autofocus` when it opens, and what is drawn later does not get the focus by it.
 */
export const focusWhenShown = (element: HTMLElement | null): void => element?.focus();
