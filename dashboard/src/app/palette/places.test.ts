import { IconArrowBackUp } from '@tabler/icons-react';
import { expect, it } from 'vitest';
import { commandsOfScreen, stepsOfScreen } from '../../commands/registry.ts';
import { matching } from './matching.ts';
import { actions, offered, ofScreen, screensFor } from './places.ts';

const run = () => {};
const icon = IconArrowBackUp;

it('offers the commands of the screen: with what they do now, or why they do nothing', () => {
  const leave = commandsOfScreen.add(() => [
    { id: 'undo', label: 'Undo', icon, keys: 'Control+Z', about: 'Undo: Moved Crop', run },
    { id: 'redo', label: 'Redo', icon, reason: 'Nothing to redo', run },
  ]);
  expect(ofScreen().commands).toMatchObject([
    { label: 'Undo', hint: 'Undo: Moved Crop', keys: 'Control+Z', reason: undefined },
    { label: 'Redo', hint: 'Nothing to redo', reason: 'Nothing to redo' },
  ]);
  leave();
  expect(ofScreen().commands).toEqual([]);
});

it('finds one of a thousand steps by its title, key or kind', () => {
  const leave = stepsOfScreen.add(() =>
    Array.from({ length: 1000 }, (_, at) => ({
      ...{ id: `step_${at}`, label: `Page ${at}`, words: `step_${at} Crop`, icon, run },
    })),
  );
  const found = (text: string) => matching(ofScreen().steps, text, 6).map(({ label }) => label);
  expect(found('page 734')).toEqual(['Page 734']);
  expect(found('step_99')).toContain('Page 99');
  expect(found('crop')).toHaveLength(6);
  leave();
});

it.each([
  ['in a new tab', []],
  ['after other places', [{ href: '/runs', label: 'Runs' }]],
])('leads to a place by Enter alone, and changes nothing: %s', (_, recent) => {
  const leave = commandsOfScreen.add(() => [{ id: 'restore', label: 'Restore', icon, run }]);
  const { commands } = ofScreen();
  const groups = offered({ recent, commands, general: actions, screens: screensFor(undefined) });
  expect(groups[0]?.entries[0]).toHaveProperty('href');
  expect(groups.flatMap(({ entries }) => entries)).toContainEqual(commands[0]);
  leave();
});
