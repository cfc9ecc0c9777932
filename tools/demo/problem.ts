/** What stops the demo and can be mended by whoever started it: said in words, without a stack. */
export class Problem extends Error {}
