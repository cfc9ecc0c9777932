import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { loggedExitCode } from '../../src/containers/event-log.ts';

const folder = await mkdtemp(join(tmpdir(), 'cogworks-events-'));
after(() => rm(folder, { recursive: true }));

const log = join(folder, 'events.log');
const event = (Name: string, Status: string, more: object = {}) =>
  `${JSON.stringify({ ID: '0a', Image: 'busybox', Name, Status, Type: 'container', ...more })}\n`;

describe("the exit code in podman's log of events", () => {
  it("is that of the container's end, and 0 where podman leaves it out", async () => {
    const failed = event('one', 'died', { ContainerExitCode: 7 });
    await writeFile(log, event('one', 'start') + failed + event('two', 'died'));

    assert.equal(await loggedExitCode(log, 'one'), 7);
    assert.equal(await loggedExitCode(log, 'two'), 0);
  });

  it('is unknown while the program runs, and without a log', async () => {
    await writeFile(log, event('one', 'start') + event('one-more', 'died'));

    assert.equal(await loggedExitCode(log, 'one'), undefined);
    assert.equal(await loggedExitCode(join(folder, 'none'), 'one'), undefined);
  });

  it('is not told by labels of an image', async () => {
    const Attributes = { label: event('one', 'died') };
    await writeFile(log, event('two', 'died', { ContainerExitCode: 3, Attributes }));

    assert.equal(await loggedExitCode(log, 'one'), undefined);
  });

  it('is found while another event is being written', async () => {
    await writeFile(log, event('one', 'died') + event('one', 'remove').slice(0, -20));

    assert.equal(await loggedExitCode(log, 'one'), 0);
  });
});
