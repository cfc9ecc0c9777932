import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { architectureOf } from './architectures.ts';

describe('the architecture of a machine', () => {
  for (const [processor, endianness, name] of [
    ['x64', 'LE', 'amd64'],
    ['ia32', 'LE', '386'],
    ['arm64', 'LE', 'arm64'],
    ['ppc64', 'LE', 'ppc64le'],
    ['ppc64', 'BE', 'ppc64'],
    ['s390x', 'BE', 's390x'],
  ] as const)
    it(`with ${processor}, ${endianness}, is ${name} to images`, () => {
      assert.equal(architectureOf(processor, endianness), name);
    });
});
