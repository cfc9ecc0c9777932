import { expect, it } from 'vitest';
import { comparedWords, faultWords } from './seal-words.ts';

it('says what was compared', () => {
  const found = { is_intact: true, blocks: 1, events: 7, unsealed_events: 0, faults: [] };
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
