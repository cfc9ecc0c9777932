/** What images call the processors of machines. Pure. */

const names: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** @param processor as Node calls it (`process.arch`). @returns what OCI calls it. */
export const architectureOf = (processor: string): string => names[processor] ?? processor;
