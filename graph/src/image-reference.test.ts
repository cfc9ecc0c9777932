import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  isLoopback,
  parseHost,
  parseImage,
  registryFromUrl,
  registryOf,
  withDigest,
} from './image-reference.ts';

const digest = `sha256:${'a'.repeat(64)}`;

describe('the name of an image', () => {
  const cases: [image: string, registry: string, repository: string, selector: string][] = [
    ['busybox', 'docker.io', 'library/busybox', 'latest'],
    ['busybox:1.36', 'docker.io', 'library/busybox', '1.36'],
    ['team/tool', 'docker.io', 'team/tool', 'latest'],
    ['a/b/c/d', 'docker.io', 'a/b/c/d', 'latest'],
    ['docker.io/busybox', 'docker.io', 'library/busybox', 'latest'],
    ['docker.io/library/busybox', 'docker.io', 'library/busybox', 'latest'],
    ['DOCKER.IO/busybox', 'docker.io', 'library/busybox', 'latest'],
    ['index.docker.io/x/y', 'docker.io', 'x/y', 'latest'],
    ['registry-1.docker.io/x/y', 'docker.io', 'x/y', 'latest'],
    ['hub.docker.com/x/y', 'docker.io', 'x/y', 'latest'],
    // Docker Hub's name as part of another, or with a port, is not Docker Hub.
    ['docker.io.evil.example/x', 'docker.io.evil.example', 'x', 'latest'],
    ['evil.example/docker.io/x', 'evil.example', 'docker.io/x', 'latest'],
    ['docker.io:443/x', 'docker.io:443', 'x', 'latest'],
    ['docker-io/x', 'docker.io', 'docker-io/x', 'latest'],

    ['registry.example/tool', 'registry.example', 'tool', 'latest'],
    ['Registry.Example:5000/team/tool:V1', 'registry.example:5000', 'team/tool', 'V1'],
    ['registry.example:443/tool', 'registry.example:443', 'tool', 'latest'],
    ['registry:5000/tool', 'registry:5000', 'tool', 'latest'],
    // Without a slash, the part after the colon is a tag.
    ['registry.example:5000', 'docker.io', 'library/registry.example', '5000'],
    ['localhost/tool', 'localhost', 'tool', 'latest'],
    ['LocalHost/tool', 'localhost', 'tool', 'latest'],
    ['localhost:5000/a/b/c', 'localhost:5000', 'a/b/c', 'latest'],
    ['localhosts/tool', 'docker.io', 'localhosts/tool', 'latest'],
    ['127.0.0.1:5000/tool', '127.0.0.1:5000', 'tool', 'latest'],
    ['[::1]:5000/a:x', '[::1]:5000', 'a', 'x'],
    ['[::1]/a', '[::1]', 'a', 'latest'],
    ['[0:0:0:0:0:0:0:1]:5000/a', '[::1]:5000', 'a', 'latest'],
    ['[FD00::A]/a', '[fd00::a]', 'a', 'latest'],
    ['xn--bcher-kva.example/a', 'xn--bcher-kva.example', 'a', 'latest'],

    ['a.b/c_d/e__f/g---h/i.j', 'a.b', 'c_d/e__f/g---h/i.j', 'latest'],
    [`r.example/a@${digest}`, 'r.example', 'a', digest],
    [`r.example:1/a:x@${digest}`, 'r.example:1', 'a', digest],
    [`r.example/a:${'t'.repeat(128)}`, 'r.example', 'a', 't'.repeat(128)],
    [`r.example/${'a'.repeat(245)}`, 'r.example', 'a'.repeat(245), 'latest'],
  ];
  for (const [image, registry, repository, selector] of cases) {
    it(`is understood: ${image.slice(0, 60)}`, () => {
      const expected = { registry, repository, selector };
      const wantsDigest = image.includes('@') ? digest : null;
      assert.deepEqual(parseImage(image), { ...expected, digest: wantsDigest });
      assert.equal(registryOf(image), registry);
    });
  }

  const refused = [
    ...['', ' ', '/', '.', '..', ':', '@', 'a ', ' a', 'a\n', 'a\0', 'a b', 'a//b', '/a', 'a/'],
    ...[
      '--privileged',
      '-v',
      'r.example/-a',
      'r.example/--a',
      'r.example/a:-t',
      '../../etc/passwd',
    ],
    // Names are lower case; only hosts and tags may have capitals.
    ...['UPPER', 'r.example/UPPER', 'Foo/bar', 'ſmall'],
    // A user name in front of a host, a scheme, a path, a question.
    ...['user@r.example/a', 'user:pass@r.example/a', 'good.example@evil.example/a'],
    ...['good.example:pw@evil.example:5000/a', 'good.example\\@evil.example/a'],
    ...['http://r.example/a', 'https://r.example/a', 'docker://r.example/a', '//r.example/a'],
    ...['r.example/a?b', 'r.example/a#b', 'r.example?x/a', 'r.example%2fa/b', 'r.example/../a'],
    // Hosts and ports that programs parse in different ways.
    ...['127.1/a', '127.1:5000/a', '0x7f.0.0.1/a', '0177.0.0.1/a', '127.0.0.01/a', '256.1.1.1/a'],
    ...['2130706433:5000/a', '0:5000/a', 'r.example./a', '.r.example/a', 'r..example/a'],
    ...['-r.example/a', 'r-.example/a', 'r_x.example/a', 'ｒ.example/a', 'bücher.example/a'],
    ...['r.example:/a', 'r.example:0/a', 'r.example:05000/a', 'r.example:65536/a'],
    ...['r.example:5000:1/a', 'r.example:x/a', 'r.example:+1/a', 'r.example:５000/a'],
    ...[
      '::1/a',
      '[::1/a',
      '::1]:1/a',
      '[]/a',
      '[:::]/a',
      '[::1%eth0]/a',
      '[r.example]/a',
      '[::1]x/a',
    ],
    // Tags and digests.
    ...['a:', 'a:b:c', 'a:b/c:d:e', `a:${'t'.repeat(129)}`, 'a@', 'a@sha256:12', 'a@b', 'a:t@'],
    ...[`a@${digest}0`, `a@${digest.toUpperCase()}`, `a@sha512:${'a'.repeat(128)}`],
    ...[`a@${digest}@${digest}`, `a@${digest}:t`, `@${digest}`],
    ...[`r.example/${'a'.repeat(246)}`, `r.example/${'a/'.repeat(300)}a`],
  ];
  for (const text of refused) {
    it(`is refused: ${JSON.stringify(text.slice(0, 60))}`, () => {
      assert.equal(parseImage(text), null);
      assert.equal(registryOf(text), null);
    });
  }

  it('takes a digest in the place of any other, and keeps its registry', () => {
    const other = `sha256:${'b'.repeat(64)}`;
    for (const image of ['a', 'a:t', `a@${other}`, `r.example:1/a:t@${other}`]) {
      const exact = parseImage(withDigest(image, digest));
      assert.equal(exact?.digest, digest);
      assert.equal(exact?.registry, registryOf(image));
      assert.equal(exact?.repository, parseImage(image)?.repository);
    }
  });
});

describe('the registry that a person names', () => {
  const cases: [text: string, registry: string | null][] = [
    ['registry.example', 'registry.example'],
    [' https://Registry.Example:5000/v2/ ', 'registry.example:5000'],
    ['HTTP://registry.example', 'registry.example'],
    ['registry.example/team/tool', 'registry.example'],
    ['https://index.docker.io/v1/', 'docker.io'],
    ['registry-1.docker.io', 'docker.io'],
    ['hub.docker.com', 'docker.io'],
    ['[::1]:5000', '[::1]:5000'],
    ['localhost', 'localhost'],
    ['registry', 'registry'],
    ['', null],
    ['https://', null],
    ['https://https://registry.example', null],
    ['https://user:pass@registry.example/', null],
    ['user@registry.example', null],
    ['registry.example?x', null],
    ['registry.example\\evil.example', null],
    ['registry.example:99999', null],
    ['ftp://registry.example', null],
    ['127.1', null],
    ['registry example', null],
  ];
  for (const [text, registry] of cases) {
    it(`of ${JSON.stringify(text)} is ${registry}`, () =>
      assert.equal(registryFromUrl(text), registry));
  }

  it('is that of the images it serves, however both are written', () => {
    for (const [secret, image] of [
      ['https://Registry.Example:5000/v2/', 'registry.example:5000/a'],
      ['hub.docker.com', 'busybox'],
      ['docker.io', 'index.docker.io/x/y'],
      ['[0::1]:5000', '[::1]:5000/a'],
    ] as const) {
      assert.equal(registryFromUrl(secret), registryOf(image));
    }
    for (const [secret, image] of [
      ['registry.example', 'registry.example:5000/a'],
      ['registry.example', 'evil.registry.example/a'],
      ['registry.example', 'registry.example.evil.example/a'],
      ['docker.io', 'docker.io.evil.example/a'],
    ] as const) {
      assert.notEqual(registryFromUrl(secret), registryOf(image));
    }
  });
});

describe('a host', () => {
  it('keeps its own name, also where it is one of Docker Hub', () => {
    assert.equal(parseHost('Registry-1.Docker.io'), 'registry-1.docker.io');
  });

  it('is on loopback by its name or address, and not by what it looks like', () => {
    for (const host of ['localhost', 'localhost:80', '127.0.0.1', '127.9.9.9:5000', '[::1]:1']) {
      assert.equal(isLoopback(host), true, host);
    }
    for (const host of ['localhost.example', '127.0.0.1.example', '[::2]', '10.0.0.1', '']) {
      assert.equal(isLoopback(host), false, host);
    }
  });
});
