/** The hash of an address that leads to where a file comes from. */
export const originHash = 'origin';
