/** Text of users and programs in one line: what cannot be seen, but turns what is seen, is spelled. */

/** Controls, and marks and overrides of the writing direction. */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
  /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** `\u202e` becomes `⟨U+202E⟩`. */
export const visibleText = (text: string): string =>
  text.replace(unseen, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `\u27e8U+${code.toString(16).toUpperCase().padStart(4, '0')}\u27e9`;
  });
