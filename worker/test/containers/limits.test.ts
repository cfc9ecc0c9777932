import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { after, describe, it } from 'node:test';
import { parseRange, type Range } from '@cogworks/sdk/outbound/addresses';
import { writeEgressHooks } from '../../src/containers/egress.ts';
import { findProgram } from '../../src/containers/probe.ts';
import { type Fixture, openFixture, script } from './fixture.ts';

const own = parseRange(ownAddress()) as Range;
const opened = await openFixture({ egress_allow: [own] });
const skip = typeof opened === 'string' && opened;
const fixture = opened as Fixture;
const limits = typeof opened === 'string' ? undefined : opened.engine.report.limits;
const noLimit = (name: 'memory' | 'cpu' | 'pids') =>
  limits && !limits[name] && `This machine does not enforce limits of ${name} for this user.`;

const noEgress =
  typeof opened === 'string' || opened.engine.report.network
    ? false
    : opened.engine.report.warnings.find((sentence) => /egress/.test(sentence));

/** An address of this machine that is not its loopback. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '192.0.2.1';
}

/** On all addresses of the machine; it tells clients that they reached the machine. */
async function openServer() {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => {}).end('from the machine\n');
  }).listen(0, '0.0.0.0');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      server.close();
    },
  };
}

describe('what a container may not do', { skip, concurrency: 2 }, () => {
  after(() => fixture.close());

  it('use more memory than its limit', { skip: noLimit('memory') }, async () => {
    const { result } = await fixture.run(['/bin/tail', '/dev/zero'], {
      resources: { cpu: 1, memory_mb: 32, gpu: 0, disk_mb: 16 },
    });

    assert.equal(result.exit_code, 137);
    assert.equal(result.oom_killed, true);
    assert.equal(result.stopped_by, null);
  });

  it('fill memory by way of /tmp', async () => {
    const { stdout } = await fixture.run(
      script('head -c 200m /dev/zero > /tmp/full || echo refused'),
    );

    assert.match(stdout, /refused/);
  });

  it('start processes without end', { skip: noLimit('pids') }, async () => {
    const { result } = await fixture.run(script('b() { b | b & b | b; }; b; sleep 30'), {
      timeout_seconds: 3,
      grace_seconds: 1,
    });

    assert.ok(result.stopped_by === 'timeout' || result.exit_code !== 0);
  });

  it('reach a network', async () => {
    const [host = '', port = ''] = fixture.registry.server.split(':');

    const { stdout } = await fixture.run(
      script(
        `ls /sys/class/net; for to in "${host} ${port}" "${ownAddress()} 9" "1.1.1.1 53"; do nc -w 2 $to < /dev/null 2>&1; done; true`,
      ),
    );

    const [interfaces, own, machine, internet] = stdout.trim().split('\n');
    assert.equal(interfaces, 'lo');
    assert.match(own ?? '', /Connection refused/);
    assert.match(machine ?? '', /Network is unreachable/);
    assert.match(internet ?? '', /Network is unreachable/);
  });

  // One after the other: they write the same hooks.
  describe('with egress', { skip: noEgress, concurrency: 1 }, () => {
    it('reach more than it asked for', async () => {
      await using server = await openServer();
      const { port } = server;

      const { stdout } = await fixture.run(
        script(
          `nc -w 5 ${ownAddress()} ${port} < /dev/null 2>&1; nc -w 2 127.0.0.1 ${port} < /dev/null 2>&1; nc -w 2 10.0.2.2 ${port} < /dev/null 2>&1; grep -c 0000 /proc/net/if_inet6; true`,
        ),
        { network: 'egress' },
      );

      assert.match(stdout, /^from the machine\n/);
      assert.equal(stdout.match(/from the machine/g)?.length, 1, stdout);
    });

    it("reach the machine or its network, unless it is the operator's wish", async () => {
      await using server = await openServer();
      const inside = ['10.1.2.3', '172.20.0.1', '192.168.1.1', '100.64.0.1', '169.254.169.254'];
      const { state_dir } = fixture.options;
      const ip = (await findProgram('ip')) ?? '';
      await writeEgressHooks(state_dir, ip, []);

      const { stdout } = await fixture.run(
        script(
          `for to in ${ownAddress()} ${inside.join(' ')}; do nc -w 2 $to ${server.port} < /dev/null 2>&1; done; true`,
        ),
        { network: 'egress' },
      );
      await writeEgressHooks(state_dir, ip, [own]);

      assert.equal(stdout.match(/Permission denied/g)?.length, 1 + inside.length, stdout);
      assert.equal(server.connections(), 0);
    });
  });

  it("share a user, and so that user's limits, with another container", {
    skip:
      typeof opened !== 'string' &&
      !opened.engine.report.user_ranges &&
      'Containers have no user ids of their own here.',
  }, async () => {
    const users = await Promise.all(
      [1, 2].map(async () => {
        const { stdout } = await fixture.run(
          script('cat /proc/self/uid_map; touch /data/outputs/x; cat /data/params.json; id -u'),
        );
        assert.match(stdout, /{}65534\n$/);
        return stdout.trim().split(/\s+/)[1];
      }),
    );

    assert.notEqual(users[0], '0');
    assert.notEqual(users[0], users[1]);
  });

  it('write outside its outputs, progress and /tmp', async () => {
    const places = '/ /bin /etc /data /data/inputs /usr /dev /proc /sys /var /root /home';

    const { stdout } = await fixture.run(
      script(
        `for d in ${places}; do touch $d/x 2>/dev/null && echo $d; done; echo x > /data/params.json && echo params; touch /tmp/x /data/outputs/x && echo fine; true`,
      ),
    );

    assert.equal(stdout, 'fine\n');
  });

  it('be anybody, have a capability, or gain privileges', async () => {
    const { stdout } = await fixture.run(
      script(
        'id -u; id -g; grep -E "^(Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs|Seccomp):" /proc/self/status',
      ),
    );

    const [uid, gid, ...rest] = stdout.trim().split('\n');
    assert.equal(`${uid}:${gid}`, '65534:65534');
    for (const line of rest.filter((text) => text.startsWith('Cap'))) {
      assert.match(line, /:\t0+$/);
    }
    assert.ok(rest.includes('NoNewPrivs:\t1'));
    assert.ok(rest.includes('Seccomp:\t2'));
  });

  it('make namespaces or mount anything', async () => {
    const { stdout, stderr } = await fixture.run(
      script(
        'unshare -U true && echo user; unshare -m true && echo mount; mount -t tmpfs x /tmp && echo tmpfs; true',
      ),
    );

    assert.equal(stdout, '');
    assert.match(stderr, /not permitted|Function not implemented/);
  });

  it('see the worker: its processes, its environment, its files', async () => {
    process.env.COGWORKS_TEST_TOKEN = 'worker-token';

    const { stdout } = await fixture.run(
      script('env; ls /proc | grep -c "^[0-9]"; ls /data; cat /proc/mounts'),
    );

    assert.doesNotMatch(stdout, /worker-token/);
    assert.match(stdout, /^[1-6]$/m);
    assert.match(stdout, /^inputs\noutputs\nparams.json\nprogress$/m);
  });

  it('fill the disk with outputs', async () => {
    const resources = { cpu: 1, memory_mb: 128, gpu: 0, disk_mb: 8 };
    const many = fixture.run(
      script('i=0; while true; do i=$((i+1)); head -c 1m /dev/zero > /data/outputs/$i; done'),
      { resources, timeout_seconds: 30 },
    );
    await assert.rejects(many, {
      error_class: 'disk_limit',
      message: /over the node's disk of 8 MB/,
    });

    const progress = fixture.run(
      script(
        'head -c 8m /dev/zero > /data/progress; head -c 1m /dev/zero > /data/outputs/x; sleep 20',
      ),
      { resources, timeout_seconds: 30 },
    );
    await assert.rejects(progress, { error_class: 'disk_limit' });

    const single = fixture.run(
      ['/bin/dd', 'if=/dev/zero', 'of=/data/outputs/x', 'bs=1M', 'count=100'],
      {
        resources,
      },
    );
    await assert.rejects(single, { error_class: 'disk_limit' });
  });

  it('fill the disk with files that have no bytes', async () => {
    const nested = fixture.run(
      script(
        'cd /data/outputs; i=0; while mkdir -p dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd && cd -P ddd*; do i=$((i+1)); [ $i -gt 60 ] && break; done; true',
      ),
      { resources: { cpu: 1, memory_mb: 128, gpu: 0, disk_mb: 8 } },
    );

    await assert.rejects(nested, {
      error_class: 'disk_limit',
      message: /nested folders too deeply/,
    });
  });
});
