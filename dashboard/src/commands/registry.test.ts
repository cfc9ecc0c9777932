import { IconArrowBackUp } from '@tabler/icons-react';
import { expect, it, vi } from 'vitest';
import { type Command, createRegistry, giveCommand } from './registry.ts';

const command = (id: string, more: Partial<Command> = {}): Command => ({
  ...{ id, label: id, icon: IconArrowBackUp, run: () => {} },
  ...more,
});
const ids = (commands: readonly Command[]) => commands.map(({ id }) => id);

it('has the commands of the parts that are shown, each once, in their order', () => {
  const registry = createRegistry();
  registry.add(() => [command('undo'), command('redo')]);
  const leave = registry.add(() => [command('upload'), command('undo')]);
  expect(ids(registry.read())).toEqual(['undo', 'redo', 'upload']);
  leave();
  expect(ids(registry.read())).toEqual(['undo', 'redo']);
});

it('tells when parts come and go, once each', () => {
  const registry = createRegistry();
  const onChange = vi.fn();
  const end = registry.subscribe(onChange);
  const leave = registry.add(() => []);
  expect([registry.changes(), onChange.mock.calls.length]).toEqual([1, 1]);
  leave();
  leave();
  expect([registry.changes(), onChange.mock.calls.length]).toEqual([2, 2]);
  end();
  registry.add(() => []);
  expect([registry.changes(), onChange.mock.calls.length]).toEqual([3, 2]);
});

it('tells of each command how it is when it is read', () => {
  const registry = createRegistry();
  let reason: string | undefined = 'Nothing to undo';
  registry.add(() => [command('undo', { reason })]);
  expect(registry.read()[0]?.reason).toBe('Nothing to undo');
  reason = undefined;
  expect(registry.read()[0]?.reason).toBeUndefined();
});

it('gives a command as it is by now, and none that is gone or cannot be given', () => {
  const registry = createRegistry();
  const [now, off] = [vi.fn(), vi.fn()];
  const leave = registry.add(() => [
    command('run', { run: now }),
    command('cancel', { run: off, reason: 'It has ended' }),
  ]);
  giveCommand(registry, 'run');
  giveCommand(registry, 'cancel');
  leave();
  giveCommand(registry, 'run');
  expect([now.mock.calls.length, off.mock.calls.length]).toEqual([1, 0]);
});
