/**
 * Colours of charts: a pair for light and dark of each. They differ for people with any kind of
 * colour blindness, and from the background by 3:1; colors.test.ts measures both.
 */

type Pair = readonly [light: string, dark: string];

/** For things of one kind, in the order of their size. */
export const kinds = [
  ['#285fc2', '#4879b2'],
  ['#db6e2b', '#d09302'],
  ['#1d573b', '#59dba1'],
  ['#5d1471', '#ae4b68'],
  ['#3499dd', '#c0e2fe'],
] as const satisfies readonly Pair[];

export const outcomes = {
  success: ['#267557', '#72e6cb'],
  partial_success: ['#c38709', '#e9c31a'],
  failure: ['#8f0d0a', '#b5472b'],
  cancelled: ['#869194', '#969a9c'],
} as const satisfies Record<string, Pair>;

export const others: Pair = ['#80828a', '#91999c'];

/** The colour of a pair by the colour scheme of the page. */
export const cssColor = ([light, dark]: Pair): string => `light-dark(${light}, ${dark})`;

/** Of the only thing in a chart. */
export const only: Pair = ['#0b6e69', '#3aa199'];
