/** What images call the processors of machines. Pure. */

const names: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/**
 * @param processor as Node calls it (`process.arch`).
 * @param endianness `os.endianness()`: Node has one name for both kinds of ppc64.
 * @returns what OCI calls it.
 */
export function architectureOf(processor: string, endianness: 'BE' | 'LE'): string {
  if (processor === 'ppc64' && endianness === 'LE') return 'ppc64le';
  return names[processor] ?? processor;
}
