/** Words of users in mails. */

/** A name can be neither a header nor look like a paragraph of ours. */
export const onOneLine = (name: string): string => name.replace(/[\s\p{C}]+/gu, ' ').trim();
