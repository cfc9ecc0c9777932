/** The focus of the keyboard among the cards. */

/** @returns whether the card is drawn, and so could take it. */
export function focusCard(id: string | undefined): boolean {
  if (id === undefined) return false;
  const card = document.querySelector<HTMLElement>(`[data-card="${CSS.escape(id)}"]`);
  card?.focus({ preventScroll: true });
  return card !== null;
}

/** The first field of the settings beside the canvas. */
export function focusSettings(): boolean {
  const field = document.querySelector<HTMLElement>(
    '[data-side="right"] :is(input, textarea, select, button, [tabindex="0"])',
  );
  field?.focus();
  return field !== null;
}
