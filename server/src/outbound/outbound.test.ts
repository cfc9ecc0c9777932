import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, describe, it } from 'node:test';
import { receiver } from '../../test/receivers.ts';
import { type Outbound, openOutbound } from './outbound.ts';

const closed = openOutbound([]);
const bounds = { time_ms: 5000, answer_bytes: 1000, signal: new AbortController().signal };
const post = (outbound: Outbound, url: string) =>
  outbound.post(url, { headers: {}, body: '{}' }, bounds);

describe('the URL of a user', () => {
  const refused = [
    ...['', 'x', '/hook', 'example.com', 'https://', 'ftp://example.com', 'javascript:alert(1)'],
    ...['http://example.com', 'https://u:p@example.com', 'https://u@example.com'],
    ...['https://127.1', 'https://2130706433', 'https://0x7f.1', 'https://0177.0.0.1'],
    ...['https://127.0.0.1', 'https://①②⑦.0.0.1', 'https://10.1.2.3', 'https://169.254.169.254'],
    ...['https://localhost', 'https://localhost.', 'https://LOCALHOST:8443', 'https://a.localhost'],
    ...['https://[::1]', 'https://[::]', 'https://[::ffff:7f00:1]', 'https://[::ffff:10.0.0.1]'],
    ...['https://[fe80::1]', 'https://[fd00:ec2::254]', 'https://[64:ff9b::a00:1]'],
    ...['https://[2002:a9fe:a9fe::1]', 'https://[2001:0:4136:e378:8000:63bf:3fff:fdd2]'],
    ...['https://0.0.0.0', 'https://100.64.0.1', 'https://192.168.1.1', 'https://255.255.255.255'],
  ];
  for (const url of refused) {
    it(`is refused as ${JSON.stringify(url)}`, async () => {
      assert.ok(closed.faultOf(url), url);
      const outcome = await post(closed, url);
      assert.equal('failure' in outcome && outcome.failure, 'refused_address');
    });
  }

  it('may be any other of https', () => {
    for (const url of [
      'https://example.com/hooks?token=x#y',
      'https://example.com:8443',
      'https://93.184.216.34/',
      'https://[2606:4700::1111]/',
      'https://bücher.example/',
    ])
      assert.equal(closed.faultOf(url), undefined, url);
  });
});

describe('OUTBOUND_ALLOW', () => {
  const allow = ['127.0.0.1', '10.0.0.0/8', 'Hooks.internal:8080', '::1'];
  const cases: [url: string, may: boolean][] = [
    ['http://127.0.0.1:9000/', true],
    ['https://127.0.0.1/', true],
    ['http://127.0.0.2/', false],
    ['http://10.1.2.3/', true],
    ['http://[::1]:9000/', true],
    ['http://hooks.internal:8080/', true],
    ['http://hooks.internal/', false],
    ['http://example.com/', false],
    ['http://localhost/', false],
  ];
  for (const [url, may] of cases) {
    it(`lets ${url} ${may ? '' : 'not '}be called`, () => {
      assert.equal(openOutbound(allow).faultOf(url) === undefined, may);
    });
  }

  it('reaches what it lists, and nothing else of the machine', async () => {
    const inside = await receiver();
    assert.deepEqual(await post(openOutbound(['127.0.0.1/32']), inside.url), {
      status: 204,
      retry_after: undefined,
    });
    const outcome = await post(openOutbound(['127.0.0.2/32']), inside.url);
    assert.equal('failure' in outcome && outcome.failure, 'refused_address');
    assert.equal(inside.received.length, 1);
  });
});

describe('a whole answer', () => {
  const get = (outbound: Outbound, url: string) =>
    outbound.fetch(url, { method: 'GET' }, { time_ms: 5000, answer_bytes: 1000 });
  const open = openOutbound(['127.0.0.1/32']);

  it('is read with its status and headers, up to a length, from allowed addresses only', async () => {
    const short = await receiver((response) => response.writeHead(404, { etag: 'x' }).end('{}'));
    const long = await receiver((response) => response.end('x'.repeat(1001)));
    const body = { method: 'POST', body: '{}' } as const;
    const bounds = { time_ms: 5000, answer_bytes: 1000 };

    const answer = await open.fetch(short.url, body, bounds);

    assert.deepEqual([answer.status, answer.headers.get('etag')], [404, 'x']);
    assert.equal(await answer.text(), '{}');
    await assert.rejects(open.fetch(long.url, body, bounds), /too long/);
    await assert.rejects(get(closed, short.url), /Must begin with https/);
    assert.equal(short.received.length, 1);
  });

  it('that does not come in time is a failure', async () => {
    const silent = await receiver(null);
    const body = { method: 'POST', body: '{}' } as const;
    const asked = open.fetch(silent.url, body, { time_ms: 50, answer_bytes: 1000 });
    await assert.rejects(asked, /no answer within 0.05 seconds/);
  });
});

describe('the name of a URL', async () => {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const url = `https://hooks.example:${port}/`;
  const failureAt = async (addresses: () => string[]) => {
    const outcome = await post(
      openOutbound(['127.0.0.1/32'], async () => addresses()),
      url,
    );
    return 'failure' in outcome && outcome.failure;
  };

  it('leads nowhere inside, whatever its addresses are when it is called', async () => {
    const answers = [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1', '127.0.0.2'], ['::1'], []];
    const next = () => answers.shift() ?? [];
    // This one is called: no TLS is spoken there.
    assert.equal(await failureAt(next), 'unreachable');
    for (let count = 0; count < 4; count += 1) {
      assert.equal(await failureAt(next), 'refused_address');
    }
    assert.equal(connections, 1);
  });

  it('is looked up once for a call', async () => {
    let asked = 0;
    await failureAt(() => {
      asked += 1;
      return ['127.0.0.1'];
    });
    assert.equal(asked, 1);
  });
});
