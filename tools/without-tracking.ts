/**
 * Preloaded by the processes of `npm test`: keeps Node's test runner from following each promise to
 * the test that made it, which takes a sixth of the time of tests that send requests. An error that
 * no test awaits then fails the file instead of one test, also after the test's end, when the runner
 * would only mention it.
 */
import { createHook } from 'node:async_hooks';

const hooks = Object.getPrototypeOf(createHook({})) as ReturnType<typeof createHook>;
const { enable } = hooks;

hooks.enable = function (this: typeof hooks) {
  const isOfRunner = /node:internal\/test_runner\//.test(new Error().stack ?? '');
  return isOfRunner ? this : enable.call(this);
};
