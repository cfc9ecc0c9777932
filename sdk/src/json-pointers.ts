/** JSON pointers (RFC 6901), for reading only. */

/** Whether a text is a pointer. */
export const isPointer = (text: string) => /^(?:\/(?:[^~/]|~[01])*)*$/.test(text);

/**
 * The value that a pointer names: own properties and elements only.
 *
 * @returns undefined if there is none.
 */
export function valueAt(document: unknown, pointer: string): unknown {
  const tokens = pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
  return tokens.reduce<unknown>((value, token) => {
    if (Array.isArray(value))
      return /^(?:0|[1-9]\d*)$/.test(token) ? value[Number(token)] : undefined;
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, token))
      return undefined;
    return (value as Record<string, unknown>)[token];
  }, document);
}
