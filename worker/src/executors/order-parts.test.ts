import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WorkOrder } from '@cogworks/sdk/contract.gen';
import { commandOf, credentialsOf, environmentOf } from './order-parts.ts';

describe('the credentials of an order', () => {
  const cases: [server: string, image: string, isSent: boolean][] = [
    ['https://Registry.Example:5000/v2/', 'registry.example:5000/tool', true],
    ['https://index.docker.io/v1/', 'busybox', true],
    ['registry.example', 'registry.example:5000/tool', false],
    ['registry.example', 'registry.example.evil.example/tool', false],
    ['docker.io', 'evil.example/docker.io/tool', false],
    ['registry.example', 'not an image', false],
    ['not a host', 'not an image', false],
  ];
  for (const [server, image, isSent] of cases) {
    it(`for ${server} are ${isSent ? '' : 'not '}sent for ${image}`, () => {
      const registry = { server, username: 'me', password: 'secret' };
      assert.equal(credentialsOf({ image, registry }), isSent ? registry : null);
    });
  }
});

describe('the program of an order', () => {
  const order = {
    run_id: 7,
    command: ['convert', '{{inputs.in.path}}', '{{params.size}}', '{{run.id}}', '{{file.stem}}'],
    env: { MODE: 'fast' },
    params: { size: 3, 'long-name': { a: 1 } },
    variables: {},
    file: { name: 'a.b.txt' },
    input_ports: [{ name: 'in', cardinality: 'one' }],
  } as unknown as WorkOrder;
  const placed = [{ input: { port: 'in' }, container_path: '/data/inputs/in/a.b.txt' }];

  it('has its references replaced', () => {
    assert.deepEqual(commandOf(order, placed), [
      'convert',
      '/data/inputs/in/a.b.txt',
      '3',
      '7',
      'a.b',
    ]);
  });

  it('gets its params in the environment', () => {
    assert.deepEqual(environmentOf(order), {
      MODE: 'fast',
      PARAM_SIZE: '3',
      PARAM_LONG_NAME: '{"a":1}',
    });
  });

  it('cannot run without an input that it needs, or with a reference that means nothing', () => {
    assert.throws(() => commandOf(order, []), { error_class: 'bad_params' });
    const unknown = { ...order, command: ['{{params.missing}}'] };
    assert.throws(() => commandOf(unknown, placed), { error_class: 'bad_params' });
  });
});
