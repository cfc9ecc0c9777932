/**
 * Node's test runner follows every promise to the test that made it, by a hook for all asynchronous
 * resources of the process (node:async_hooks). Tests that send requests take a sixth longer by that.
 * It is needed while a file is loaded, to know the `describe` around an `it`; after that it only
 * names the test of an error that nothing awaits. Without it such an error fails the file.
 */
import { createHook } from 'node:async_hooks';
import { describe } from 'node:test';

type Hook = ReturnType<typeof createHook>;

let ofRunner: Hook | undefined;

// The runner enables its hook at the first test, so this module has to be loaded before.
const hooks: Hook = Object.getPrototypeOf(createHook({}));
const { enable } = hooks;
hooks.enable = function (this: Hook) {
  if (/node:internal\/test_runner\//.test(new Error().stack ?? '')) ofRunner = this;
  return enable.call(this);
};

/** A suite of all tests of a file. The runner follows promises only until the file is loaded. */
export function describeFile(name: string, load: () => Promise<unknown>): Promise<void> {
  ofRunner?.enable();
  return describe(name, async () => {
    await load();
    ofRunner?.disable();
  });
}
