import { expect, it } from 'vitest';
import { comparedWords, faultWords, foundTitle, lateWords } from './seal-words.ts';

const found = {
  ...{ is_intact: true, blocks: 1, events: 7, unsealed_events: 0, faults: [] },
  ...{ late_events: 0, late_blocks: [] },
};

it('says what was compared', () => {
  expect(comparedWords(found)).toBe('7 events in 1 block compared.');
  expect(comparedWords({ ...found, unsealed_events: 1 })).toBe(
    '7 events in 1 block compared. 1 event is too new to be sealed.',
  );
});

it('says what differs, and where', () => {
  const event = { block: 3, event_id: 9 };
  expect(faultWords({ fault: 'event_changed', ...event })).toBe('Event 9 was changed, in block 3.');
  expect(faultWords({ fault: 'event_added', event_id: 9 })).toBe('Event 9 was added afterwards.');
  expect(faultWords({ fault: 'block_missing', block: 3 })).toBe('Block 3 was removed.');
});

it('says what was sealed late', () => {
  expect(lateWords(found)).toBeUndefined();
  const block = { block: 3, sealed_at: '2026-01-01T00:00:00.000Z', events: 2 };
  const late = { ...found, late_events: 2, late_blocks: [block] };
  expect(foundTitle(late)).toBe('Some events were sealed late');
  expect(lateWords(late)).toMatch(
    /^2 events were sealed more than an hour after they happened, in block 3\./,
  );
});
