import { describe, expect, it } from 'vitest';
import {
  fullName,
  offerOfVersion,
  shownName,
  versionAlone,
  versionTitle,
} from './definition-names.ts';

const own = { name: 'crop', version: '1-e40eabc0dd', created_at: '2026-03-01T12:00:00Z' };

describe('the version of a step', () => {
  it('is shown as its organization called it, whatever it looks like', () => {
    const tenants = { ...own, scope: 'tenant' as const };
    expect(shownName(tenants)).toBe('crop@1-e40eabc0dd');
    expect(versionAlone(tenants)).toBe('1-e40eabc0dd');
    expect(versionTitle(tenants)).toBe('Version 1-e40eabc0dd');
    expect(offerOfVersion(tenants)).toBe('Use version 1-e40eabc0dd');
  });

  it('of a built-in step is a checksum, in whose place stands nothing, or when it came', () => {
    const shipped = { ...own, scope: 'platform' as const };
    expect(shownName(shipped)).toBe('crop');
    expect(versionAlone(shipped)).toMatch(/2026/);
    expect(versionTitle(shipped)).toMatch(/^Version of .*2026/);
    expect(offerOfVersion(shipped)).toMatch(/^Use the version of .*2026/);
    expect(fullName(shipped)).toBe('crop@1-e40eabc0dd');
  });
});
