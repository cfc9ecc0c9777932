/** Memory that only the start of a process needed. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Collects garbage once. Without work V8 does not, and keeps what compiling schemas and modules left:
 * an idle server held 219 MB instead of 139. Takes about 50 ms.
 */
export function collectStartupGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  setFlagsFromString('--no-expose-gc');
}
