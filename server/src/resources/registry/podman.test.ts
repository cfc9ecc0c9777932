/** The whole way of an image: built here, pushed by podman, and used in a run by a real worker. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { busyboxImage } from '../../../../tools/containers/images.ts';
import { alone, aNode, run } from '../../../test/faults/obedient.ts';
import { endOf, type Installation, openInstallation } from '../../../test/installation.ts';

const opened = await openInstallation();
const skip = typeof opened === 'string' && opened;
const installation = opened as Installation;
const dir = await mkdtemp(join(tmpdir(), 'cogworks-podman-'));

after(async () => {
  await rm(dir, { recursive: true, force: true });
  if (!skip) await installation.close();
});

/** Podman with a store and logins of its own. */
async function podman(...command: string[]) {
  const store = ['--root', join(dir, 'store'), '--runroot', join(dir, 'run')];
  const args = [...store, '--storage-driver', 'vfs', ...command];
  const env = { ...process.env, REGISTRY_AUTH_FILE: join(dir, 'auth.json') };
  return (await promisify(execFile)('podman', args, { env })).stdout.trim();
}

const insecure = '--tls-verify=false';

describe('an image that podman has pushed', { skip }, () => {
  it('runs as a node, is pulled by podman again, and is gone when its tag is deleted', async () => {
    const { admin, url } = installation;
    const { host } = new URL(url);
    const { body: me } = await admin.get('/me');
    const { access_key: key } = (await admin.post('/api-keys', { description: 'podman' })).body;
    const image = `${host}/t${me.tenant_id}/tools/busybox:1`;

    await assert.rejects(podman('login', insecure, '-u', 'me', '-p', 'sk_wrong', host));
    await podman('login', insecure, '-u', 'me', '-p', key, host);
    const { layer } = await busyboxImage();
    await podman('import', '--change', 'ENV PATH=/bin', layer, 'localhost/busybox:1');
    await podman('push', insecure, 'localhost/busybox:1', image);

    const definition = await aNode(installation, 'echo own image > /data/outputs/out.txt', {
      image,
    });
    const ended = await endOf(installation, await run(installation, alone(definition)));
    assert.equal(ended.status, 'success', ended.error_message);
    const [output] = ended.run_files;
    const { body } = await admin.get(`/cogs/${output.cog_id}/download`);
    assert.equal(String(body), 'own image\n');

    await podman('rmi', '--all', '--force');
    const id = await podman('pull', '--quiet', insecure, image);
    assert.equal(await podman('image', 'inspect', '--format', '{{.Id}}', image), id);
    const deleted = await fetch(`${url}/v2/t${me.tenant_id}/tools/busybox/manifests/1`, {
      method: 'DELETE',
      headers: { 'x-api-key': key },
    });
    assert.equal(deleted.status, 202);
    await assert.rejects(podman('pull', '--quiet', insecure, image), /manifest unknown/i);
  });
});
