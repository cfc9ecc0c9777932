import { describe, expect, it } from 'vitest';
import { kinds, only, others, outcomes } from './colors.ts';

const surfaces = ['#ffffff', '#1b1f23'] as const;
const schemes = [
  ['light', 0],
  ['dark', 1],
] as const;
const sets = {
  kinds: [...kinds, others],
  outcomes: Object.values(outcomes),
  only: [only],
};

type Rgb = readonly [number, number, number];

function linear(hex: string): Rgb {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

function contrast(one: string, other: string): number {
  const light = (hex: string) => {
    const [r, g, b] = linear(hex);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
  };
  return Math.max(light(one) / light(other), light(other) / light(one));
}

/** Full colour blindness of each kind, by Machado, Oliveira and Fernandes (2009). */
const eyes: Record<string, readonly Rgb[]> = {
  all: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protan: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deutan: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritan: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** As a point in Oklab, whose distances are those that people see. */
function seen(hex: string, eye: readonly Rgb[]): Rgb {
  const from = linear(hex);
  const times = ([x, y, z]: Rgb, [r, g, b]: Rgb) => x * r + y * g + z * b;
  const [r, g, b] = eye.map((row) => Math.max(0, times(row, from))) as unknown as Rgb;
  const cone = (row: Rgb) => Math.cbrt(times(row, [r, g, b]));
  const lms: Rgb = [
    cone([0.4122214708, 0.5363325363, 0.0514459929]),
    cone([0.2119034982, 0.6806995451, 0.1073969566]),
    cone([0.0883024619, 0.2817188376, 0.6299787005]),
  ];
  return [
    times([0.2104542553, 0.793617785, -0.0040720468], lms),
    times([1.9779984951, -2.428592205, 0.4505937099], lms),
    times([0.0259040371, 0.7827717662, -0.808675766], lms),
  ];
}

const distance = (one: string, other: string, eye: readonly Rgb[]): number => {
  const [a, b] = [seen(one, eye), seen(other, eye)];
  return 100 * Math.hypot(...a.map((value, at) => value - (b[at] ?? 0)));
};

describe.each(schemes)('colours of charts, %s', (_, at) => {
  it('stand out from the background', () => {
    for (const pair of Object.values(sets).flat())
      expect(contrast(pair[at], surfaces[at]), pair[at]).toBeGreaterThan(3);
  });

  it.each(Object.entries(eyes))('differ for the eyes of %s people', (_, eye) => {
    for (const pairs of Object.values(sets))
      for (const [index, one] of pairs.entries())
        for (const other of pairs.slice(index + 1))
          expect(distance(one[at], other[at], eye), `${one[at]} ${other[at]}`).toBeGreaterThan(10);
  });
});
