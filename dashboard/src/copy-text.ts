/** Copies text, also where the page came without HTTPS and browsers offer no clipboard. */

/** @returns whether it was copied. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByCommand(text);
  }
}

function copyByCommand(text: string): boolean {
  const onCopy = (event: ClipboardEvent) => {
    event.preventDefault();
    // What the page does when its user copies is not meant.
    event.stopImmediatePropagation();
    event.clipboardData?.setData('text/plain', text);
  };
  addEventListener('copy', onCopy, { capture: true });
  try {
    return document.execCommand('copy');
  } finally {
    removeEventListener('copy', onCopy, { capture: true });
  }
}
