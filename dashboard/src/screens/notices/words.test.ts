import type { Notice } from '@cogworks/sdk/contract.gen';
import { expect, it } from 'vitest';
import { allEvents, nameOf, pauseOf, whenWords } from './words.ts';

const now = new Date('2027-01-31T12:00:00Z');
const notice = { enabled: true, url: 'https://example.com/hooks' } as Notice;
const label = (over: Partial<Notice>, isMakerDisabled = false, isMailOff = false) =>
  pauseOf({ ...notice, ...over }, { isMakerDisabled, isMailOff }, now)?.label;

it('says of which ends it tells, in one order', () => {
  expect(whenWords(['run.failure'])).toBe('When a run fails');
  expect(whenWords(['run.cancelled', 'run.partial_success', 'run.failure'])).toBe(
    'When a run succeeds in part, fails or is cancelled',
  );
  expect(whenWords(allEvents)).toBe('When a run ends, however it does');
});

it('is called by its host where it has no name', () => {
  expect(nameOf(notice)).toBe('example.com');
  expect(nameOf({ ...notice, name: 'Ops' })).toBe('Ops');
});

it('is called Mail where it has neither name nor URL', () => {
  expect(nameOf({})).toBe('Mail');
});

it('says why nothing is sent', () => {
  expect(label({})).toBeUndefined();
  expect(label({ enabled: false })).toBe('Off');
  expect(label({ enabled: false, off_reason: 'gone' })).toBe('Off: refused for good');
  expect(label({}, false, true)).toBeUndefined();
  expect(label({ by_mail: true }, false, true)).toBe('Paused: no mail server');
  expect(label({}, true)).toBe('Paused: its maker is disabled');
  expect(label({ quiet_until: '2027-01-31T12:00:01Z' })).toBe('Paused by its receiver');
  expect(label({ quiet_until: '2027-01-31T11:59:59Z' })).toBeUndefined();
});
