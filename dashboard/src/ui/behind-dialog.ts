/** Whether a dialog covers the page: keys and commands of the page do nothing then. */
export const isBehindDialog = () =>
  document.querySelector('[role="dialog"][aria-modal="true"]') !== null;
