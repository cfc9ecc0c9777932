import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { readCron } from './cron.ts';
import { type ClockChanges, nextTick, type Schedule, ticksBetween } from './ticks.ts';
import { canonicalZone } from './zones.ts';

const usual: ClockChanges = { gap: 'shift', overlap: 'first' };

const schedule = (cron: string, timezone: string, dst: Partial<ClockChanges> = {}): Schedule => ({
  cron,
  timezone,
  dst: { ...usual, ...dst },
});

const between = (one: Schedule, after: string, until: string) =>
  ticksBetween(one, new Date(after), new Date(until)).map((tick) =>
    tick.toISOString().replace(':00.000Z', 'Z'),
  );

/** The ticks of a local day there. */
function on(day: string, one: Schedule) {
  const date = Temporal.PlainDate.from(day);
  const [start, end] = [date, date.add({ days: 1 })].map((first) =>
    new Date(first.toZonedDateTime(one.timezone).epochMilliseconds - 1).toISOString(),
  );
  return between(one, start ?? '', end ?? '');
}

const berlin = 'Europe/Berlin';

describe('a time that clocks leave out', () => {
  it('is moved by the length of the gap', () => {
    const gaps: [string, string, string, string][] = [
      ['30 2 * * *', berlin, '2027-03-28', '2027-03-28T01:30Z'],
      ['30 1 * * *', 'Europe/Dublin', '2027-03-28', '2027-03-28T01:30Z'],
      ['30 2 * * *', 'America/New_York', '2027-03-14', '2027-03-14T07:30Z'],
      ['15 2 * * *', 'Australia/Lord_Howe', '2027-10-03', '2027-10-02T15:45Z'],
      ['0 0 * * *', 'America/Santiago', '2027-09-05', '2027-09-05T04:00Z'],
      ['0 0 * * 5', 'Africa/Cairo', '2027-04-30', '2027-04-29T22:00Z'],
      ['30 2 * * *', 'Antarctica/Troll', '2027-03-28', '2027-03-28T02:30Z'],
      ['0 3 * * *', 'Pacific/Chatham', '2027-09-26', '2027-09-25T14:15Z'],
    ];
    for (const [cron, zone, day, tick] of gaps) {
      assert.deepEqual(on(day, schedule(cron, zone)), [tick], `${cron} in ${zone}`);
    }
  });

  it('is moved over midnight', () => {
    const nuuk = schedule('30 23 * * *', 'America/Nuuk');
    assert.deepEqual(between(nuuk, '2027-03-27T12:00Z', '2027-03-28T12:00Z'), [
      '2027-03-28T01:30Z',
    ]);
  });

  it('is moved by a whole day where one was left out', () => {
    const apia = schedule('0 12 * * *', 'Pacific/Apia');
    assert.deepEqual(between(apia, '2011-12-29T00:00Z', '2012-01-01T00:00Z'), [
      '2011-12-29T22:00Z',
      '2011-12-30T22:00Z',
      '2011-12-31T22:00Z',
    ]);
  });

  it('is left out if so wanted', () => {
    const daily = schedule('30 2 * * *', berlin, { gap: 'skip' });
    assert.deepEqual(on('2027-03-28', daily), []);
    assert.equal(
      nextTick(daily, new Date('2027-03-28T00:00Z'))?.toISOString(),
      '2027-03-29T00:30:00.000Z',
    );
    const weekly = schedule('0 0 * * 5', 'Africa/Cairo', { gap: 'skip' });
    assert.equal(
      nextTick(weekly, new Date('2027-04-29T12:00Z'))?.toISOString(),
      '2027-05-06T21:00:00.000Z',
    );
  });

  it('fires once with the time that it meets, and in order with those before it', () => {
    assert.deepEqual(on('2027-03-28', schedule('0 2,3 * * *', berlin)), ['2027-03-28T01:00Z']);
    assert.deepEqual(on('2027-03-28', schedule('0,30 2,3 * * *', berlin)), [
      '2027-03-28T01:00Z',
      '2027-03-28T01:30Z',
    ]);
    assert.deepEqual(on('2027-03-28', schedule('15,45 2-4 * * *', berlin)), [
      '2027-03-28T01:15Z',
      '2027-03-28T01:45Z',
      '2027-03-28T02:15Z',
      '2027-03-28T02:45Z',
    ]);
  });
});

describe('a time that comes twice', () => {
  it('fires the first time, the second or both', () => {
    const overlaps: [string, string, string, string, string][] = [
      ['30 2 * * *', berlin, '2027-10-31', '2027-10-31T00:30Z', '2027-10-31T01:30Z'],
      ['30 1 * * *', 'Europe/Dublin', '2027-10-31', '2027-10-31T00:30Z', '2027-10-31T01:30Z'],
      ['30 1 * * *', 'America/New_York', '2027-11-07', '2027-11-07T05:30Z', '2027-11-07T06:30Z'],
      ['30 1 * * *', 'America/St_Johns', '2027-11-07', '2027-11-07T04:00Z', '2027-11-07T05:00Z'],
      ['45 1 * * *', 'Australia/Lord_Howe', '2027-04-04', '2027-04-03T14:45Z', '2027-04-03T15:15Z'],
      ['30 23 * * *', 'America/Santiago', '2027-04-03', '2027-04-04T02:30Z', '2027-04-04T03:30Z'],
      ['30 23 * * *', 'Africa/Cairo', '2027-10-28', '2027-10-28T20:30Z', '2027-10-28T21:30Z'],
      ['30 1 * * *', 'Antarctica/Troll', '2027-10-31', '2027-10-30T23:30Z', '2027-10-31T01:30Z'],
      ['0 3 * * *', 'Pacific/Chatham', '2027-04-04', '2027-04-03T13:15Z', '2027-04-03T14:15Z'],
    ];
    for (const [cron, zone, day, first, second] of overlaps) {
      const ticks = (overlap: ClockChanges['overlap']) =>
        on(day, schedule(cron, zone, { overlap }));
      assert.deepEqual(ticks('first'), [first], `${cron} in ${zone}`);
      assert.deepEqual(ticks('second'), [second], `${cron} in ${zone}`);
      assert.deepEqual(ticks('both'), [first, second], `${cron} in ${zone}`);
    }
  });

  it('fires for the next time even between both', () => {
    const one = schedule('30 2 * * *', berlin, { overlap: 'both' });
    const next = nextTick(one, new Date('2027-10-31T00:30Z'));
    assert.equal(next?.toISOString(), '2027-10-31T01:30:00.000Z');
  });
});

describe('a schedule whose minute or hour begins with *', () => {
  it('follows elapsed time through both passes of an hour', () => {
    const quarters = between(
      schedule('*/15 * * * *', berlin),
      '2027-10-30T22:59Z',
      '2027-10-31T02:00Z',
    );
    assert.equal(quarters.length, 13);
    const tens = between(
      schedule('*/10 * * * *', 'Australia/Lord_Howe'),
      '2027-04-03T14:25Z',
      '2027-04-03T16:05Z',
    );
    assert.equal(tens.length, 10);
    for (const ticks of [quarters, tens]) {
      const waits = ticks
        .slice(1)
        .map((tick, at) => Date.parse(tick) - Date.parse(ticks[at] ?? ''));
      assert.equal(new Set(waits).size, 1);
    }
  });

  it('fires every hour when clocks are set forward', () => {
    assert.deepEqual(
      between(schedule('30 * * * *', berlin), '2027-03-28T00:00Z', '2027-03-28T03:00Z'),
      ['2027-03-28T00:30Z', '2027-03-28T01:30Z', '2027-03-28T02:30Z'],
    );
  });
});

describe('where clocks are not changed any more', () => {
  it('fires by the zone data of this release, and not at the hours that older data knew', () => {
    // Since September 2026 Morocco keeps UTC; until then it went back for the month of Ramadan.
    const daily = schedule('30 2 * * *', 'Africa/Casablanca');
    const ticks = between(daily, '2027-01-01T00:00Z', '2027-05-01T00:00Z');
    assert.equal(ticks.length, 120);
    assert.ok(ticks.every((tick) => tick.endsWith('T02:30Z')));
  });
});

describe('where clocks never change', () => {
  it('fires at the same instant every day', () => {
    const zones = { 'Asia/Kolkata': '21:00Z', 'Asia/Kathmandu': '20:45Z', UTC: '02:30Z' };
    for (const [zone, at] of Object.entries(zones)) {
      const ticks = between(schedule('30 2 * * *', zone), '2027-03-01T00:00Z', '2027-05-01T00:00Z');
      assert.equal(ticks.length, 61);
      assert.ok(ticks.every((tick) => tick.endsWith(at)));
    }
  });
});

describe('any daily time in any zone', () => {
  it('fires when Temporal says, whatever clocks do', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    const disambiguation = { first: 'compatible', second: 'later' } as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        fc.integer({ min: 0, max: 365 * 3 }),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: 0, max: 59 }),
        fc.constantFrom('first' as const, 'second' as const),
        (timezone, days, hour, minute, overlap) => {
          const date = Temporal.PlainDate.from('2026-01-01').add({ days });
          const cron = `${minute} ${hour} * * *`;
          const wanted = [0, 1, 2].map((later) =>
            date
              .add({ days: later })
              .toPlainDateTime({ hour, minute })
              .toZonedDateTime(timezone, { disambiguation: disambiguation[overlap] }),
          );
          const [first, , last] = wanted.map(({ epochMilliseconds }) => epochMilliseconds);
          const ticks = ticksBetween(
            schedule(cron, timezone, { overlap }),
            new Date((first ?? 0) - 1),
            new Date(last ?? 0),
          );
          assert.deepEqual(
            ticks.map(Number),
            wanted.map(({ epochMilliseconds }) => epochMilliseconds),
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('a clock that is driven through a year', () => {
  const pick = (values: readonly string[]) => fc.constantFrom(...values);
  const minute = pick(['0', '7', '15', '30', '59', '10,40']);
  const hour = pick(['0', '1', '2', '3', '23', '1-3', '*/6', '*']);
  const days = pick(['* * *', '1 * *', 'L * *', '* * SUN', '28-31 * *', '* 3,10 *', '13 * FRI']);
  const zones = pick(Intl.supportedValuesOf('timeZone'));
  const policies = fc.record({
    gap: fc.constantFrom('shift' as const, 'skip' as const),
    overlap: fc.constantFrom('first' as const, 'second' as const, 'both' as const),
  });

  it('meets the ticks that a preview tells, each once', () => {
    const property = fc.property(
      ...[minute, hour, days, zones, policies],
      fc.array(fc.integer({ min: 1, max: 40 * 24 * 60 }), { minLength: 60, maxLength: 60 }),
      (minutes, hours, dates, zone, dst, steps) => {
        const one = schedule(`${minutes} ${hours} ${dates}`, zone, dst);
        const [start, end] = [
          Date.parse('2027-01-15T11:22:33Z'),
          Date.parse('2028-01-15T11:22:33Z'),
        ];
        const told = ticksBetween(one, new Date(start), new Date(end)).map(Number);
        const met: number[] = [];
        for (const [at, step] of steps.entries()) {
          const last = met.at(-1) ?? start;
          assert.equal(
            nextTick(one, new Date(last))?.getTime(),
            told[met.length] ?? nextAfter(one, end),
          );
          const now = at === steps.length - 1 ? end : Math.min(end, last + step * 60_000);
          met.push(...ticksBetween(one, new Date(last), new Date(now)).map(Number));
        }
        assert.deepEqual(met, told);
      },
    );
    fc.assert(property, { numRuns: 30 });
  });

  const nextAfter = (one: Schedule, end: number) => nextTick(one, new Date(end))?.getTime();
});

describe('an expression', () => {
  const never = () => nextTick(schedule('0 0 30 2 *', 'UTC'), new Date('2027-01-01'));

  it('that never fires has no next time', () => {
    assert.equal(never(), undefined);
    const skipped = schedule('30 2 28 3 0', berlin, { gap: 'skip' });
    assert.ok(nextTick(skipped, new Date('2027-01-01')));
  });

  it('may wait for the 29th of February', () => {
    const leap = schedule('0 0 29 2 *', 'UTC');
    assert.equal(nextTick(leap, new Date('2096-03-01'))?.toISOString(), '2104-02-29T00:00:00.000Z');
  });

  it('is refused with the reason', () => {
    const faults: Record<string, RegExp> = {
      '': /five fields/,
      '* * * * * *': /five fields/,
      '@reboot': /five fields/,
      '2027-01-01T00:00:00': /five fields/,
      '60 * * * *': /minute: 60/,
      '*/61 * * * *': /greater than maximum/,
      'H * * * *': /illegal characters/,
    };
    for (const [expression, reason] of Object.entries(faults)) {
      assert.throws(() => readCron(expression), reason, expression);
    }
  });

  it('that names days both of the month and of the week says so', () => {
    assert.ok(readCron('0 0 13 * FRI').namesBothDays);
    for (const one of ['0 0 13 * *', '0 0 * * FRI', '0 0 13 * +FRI']) {
      assert.ok(!readCron(one).namesBothDays, one);
    }
  });
});

describe('a time zone', () => {
  it('has one name', () => {
    assert.equal(canonicalZone('europe/berlin'), berlin);
    for (const name of ['Mars/Phobos', '+05:30', '', 'Europe/Berlin\n']) {
      assert.equal(canonicalZone(name), undefined, name);
    }
  });
});
