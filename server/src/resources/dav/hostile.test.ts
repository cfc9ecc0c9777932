import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { cast, client } from '../../../test/cast.ts';
import { basic, davClient, davClientWith, newKey } from '../../../test/dav.ts';
import { startServer } from '../../../test/server.ts';

async function stage() {
  const people = await cast();
  const dav = await davClient(people.server, people.owner);
  await dav('PUT', '/a.txt', { body: 'a' });
  return { ...people, dav };
}

describe('an address of WebDAV', () => {
  it('is decoded once, and holds no way up, slash or NUL', async () => {
    const { dav } = await stage();

    for (const path of [
      '/..',
      '/../a.txt',
      '/%2e%2e/a.txt',
      '/Docs/%2E%2E/a.txt',
      '/.',
      '/%2e',
      '/x%2fa.txt',
      '/x%2Fa.txt',
      '/%00',
      '/a.txt%00',
      '/%ff',
      '/%c0%ae%c0%ae/a.txt',
      '/%',
      '/%zz',
      '/a%0ab',
      `/${'x'.repeat(256)}`,
    ]) {
      for (const method of ['GET', 'PUT', 'MKCOL', 'PROPFIND', 'DELETE']) {
        const { status } = await dav(method, path, { headers: { depth: '0' } });
        assert.ok([400, 422].includes(status), `${method} ${path}: ${status}`);
      }
      const moved = await dav('MOVE', '/a.txt', { headers: { destination: `/dav${path}` } });
      assert.ok([400, 422].includes(moved.status), `MOVE to ${path}: ${moved.status}`);
    }
    assert.equal((await dav('GET', '/%2561.txt')).status, 404);
    assert.equal((await dav('GET', '//a.txt')).text, 'a');
    assert.equal((await dav('GET', '/a.txt/')).text, 'a');
  });
});

describe('the target of a request', () => {
  it('may have scheme and host, as for a proxy', async () => {
    const { server, owner } = await stage();
    const { hostname, port, host } = new URL(server.url);
    const headers = { authorization: basic(await newKey(owner)) };
    const get = async (path: string) => {
      const sent = request({ hostname, port, path, headers });
      sent.end();
      const [response] = await once(sent, 'response');
      return [response.statusCode, await text(response)];
    };

    assert.deepEqual(await get(`http://${host}/dav/a.txt`), [200, 'a']);
    assert.equal((await get(`http://${host}/dav/%2e%2e/a.txt`))[0], 422);
  });
});

describe('a header of WebDAV', () => {
  const copy = (destination: string, more = {}) => ({ headers: { destination, ...more } });

  it('Destination holds ASCII only, so that no other name is made of it', async () => {
    const { dav } = await stage();

    assert.equal((await dav('COPY', '/a.txt', copy('/dav/\u00c3\u00b6.txt'))).status, 400);
    assert.equal((await dav('COPY', '/a.txt', copy('/dav/%C3%B6.txt'))).status, 201);
  });

  it('Destination may name the usual port of its scheme, and no other', async () => {
    const { dav } = await stage();
    const host = 'files.example.test';
    for (const [at, status] of [
      [`https://${host}:443`, 201],
      [`http://${host}:80`, 204],
      [`https://${host}:80`, 502],
      [`https://${host}:8443`, 502],
      [`https://other.example.test:443`, 502],
    ] as const) {
      const answer = await dav('COPY', '/a.txt', copy(`${at}/dav/b.txt`, { host }));
      assert.equal(answer.status, status, at);
    }
  });

  it('Overwrite is T or F, so that nothing is replaced by a mistake', async () => {
    const { dav } = await stage();
    await dav('PUT', '/b.txt', { body: 'b' });

    for (const method of ['COPY', 'MOVE']) {
      const answer = await dav(method, '/a.txt', copy('/dav/b.txt', { overwrite: 'no' }));
      assert.equal(answer.status, 400);
    }
    assert.equal((await dav('GET', '/b.txt')).text, 'b');
  });

  it('Content-Encoding is refused: encoded bytes would be told as the file', async () => {
    const { dav } = await stage();
    const put = async (encoding: string) =>
      (await dav('PUT', '/a.txt', { body: 'x', headers: { 'content-encoding': encoding } })).status;

    assert.equal(await put('gzip'), 415);
    assert.equal((await dav('GET', '/a.txt')).text, 'a');
    assert.equal(await put('identity'), 204);
  });
});

describe('the XML of a request', () => {
  const asking = (body: string | Uint8Array, method = 'PROPFIND') => ({
    method,
    init: { body, headers: { depth: '0' } },
  });

  it('is refused if it has a document type, so no entity can grow or name a file', async () => {
    const { dav } = await stage();
    const laughs = Array.from(
      { length: 9 },
      (_, n) => `<!ENTITY l${n + 1} "${`&l${n};`.repeat(10)}">`,
    );
    const bodies = [
      `<!DOCTYPE x [<!ENTITY l0 "ha">${laughs.join('')}]><propfind xmlns="DAV:">&l9;</propfind>`,
      '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><propfind xmlns="DAV:">&f;</propfind>',
      '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/x.dtd"><propfind xmlns="DAV:"><allprop/></propfind>',
      '<!DOCTYPE propfind><propfind xmlns="DAV:"><allprop/></propfind>',
      '<propfind xmlns="DAV:">&l9;</propfind>',
    ];
    for (const body of bodies) {
      for (const method of ['PROPFIND', 'PROPPATCH', 'LOCK']) {
        const { status } = await dav(method, '/a.txt', asking(body).init);
        assert.equal(status, 400, `${method} ${body.slice(0, 60)}`);
      }
    }
  });

  it('is refused if it is malformed, deep, wide, long or of another encoding', async () => {
    const { dav } = await stage();
    const deep = `${'<a>'.repeat(100)}${'</a>'.repeat(100)}`;
    const wide = `<propfind xmlns="DAV:"><prop>${'<a/>'.repeat(3000)}</prop></propfind>`;
    const utf16 = Buffer.from('\ufeff<propfind xmlns="DAV:"><allprop/></propfind>', 'utf16le');
    for (const [body, status] of [
      ['nonsense', 400],
      ['<propfind xmlns="DAV:"><allprop/>', 400],
      ['<D:propfind><D:allprop/></D:propfind>', 400],
      ['<propfind><allprop/></propfind>', 400],
      ['<propfind xmlns="DAV:"/>', 400],
      ['<a/><a/>', 400],
      [deep, 400],
      [wide, 400],
      [utf16, 400],
      [Buffer.from([0x3c, 0xff, 0x3e]), 400],
      [`<?xml version="1.0" encoding="utf-16"?><propfind xmlns="DAV:"><allprop/></propfind>`, 400],
      [`<propfind xmlns="DAV:">${' '.repeat(70_000)}<allprop/></propfind>`, 413],
    ] as const) {
      const answer = await dav('PROPFIND', '/a.txt', asking(body).init);
      assert.equal(answer.status, status, `${String(body).slice(0, 60)}: ${answer.text}`);
    }
  });

  it('is refused if its answer would repeat a long namespace for each of many names', async () => {
    const { dav } = await stage();
    const xmlns = `xmlns="DAV:" xmlns:a="${'n'.repeat(20_000)}"`;
    const many = '<a:b/>'.repeat(1900);
    const bodies = {
      PROPFIND: `<propfind ${xmlns}><prop>${many}</prop></propfind>`,
      PROPPATCH: `<propertyupdate ${xmlns}><remove><prop>${many}</prop></remove></propertyupdate>`,
      LOCK: `<lockinfo ${xmlns}><lockscope><shared/></lockscope><locktype><write/></locktype><owner>${many}</owner></lockinfo>`,
    };
    for (const [method, body] of Object.entries(bodies)) {
      const answer = await dav(method, '/a.txt', asking(body).init);
      assert.equal(answer.status, 400, `${method}: ${answer.text.length} characters`);
    }
  });

  it('keeps the namespace of xml: and its only prefix, also in properties', async () => {
    const { dav } = await stage();
    await dav('PROPPATCH', '/a.txt', {
      body: '<propertyupdate xmlns="DAV:"><set><prop><xml:p>1<xml:q/></xml:p></prop></set></propertyupdate>',
    });
    const { text } = await dav('PROPFIND', '/', { headers: { depth: '1' } });

    assert.ok(text.includes('<xml:p>1<xml:q></xml:q></xml:p>'), text);
    assert.ok(!text.includes('XML/1998/namespace'), text);
  });

  it('comes back only as text, whatever names and properties hold', async () => {
    const { dav } = await stage();
    const name = encodeURIComponent('<D:href><script>&"\ufffe');
    await dav('PUT', `/${name}`, { body: 'x' });
    const set = await dav('PROPPATCH', `/${name}`, {
      body: `<propertyupdate xmlns="DAV:"><set><prop><p xmlns="u&quot;&lt;">a &lt;b> <c d="&quot;"/></p></prop></set></propertyupdate>`,
    });
    const { text } = await dav('PROPFIND', `/${name}`, { headers: { depth: '0' } });

    assert.equal(set.status, 207);
    assert.ok(!text.includes('<script>'));
    assert.ok(text.includes('&lt;D:href&gt;&lt;script&gt;&amp;&quot;\ufffd</D:displayname>'), text);
    assert.ok(
      text.includes(
        '<x:p xmlns:x="u&quot;&lt;">a &lt;b&gt; <n:c xmlns:n="u&quot;&lt;" d="&quot;"></n:c></x:p>',
      ),
      text,
    );
  });
});

describe('PROPFIND', () => {
  it('refuses to walk everything below a folder', async () => {
    const { dav } = await stage();

    for (const headers of [{}, { depth: 'infinity' }]) {
      const answer = await dav('PROPFIND', '/', { headers });
      assert.equal(answer.status, 403);
      assert.match(answer.text, /<D:propfind-finite-depth>/);
    }
    assert.equal((await dav('PROPFIND', '/', { headers: { depth: '2' } })).status, 400);
  });

  it('tells the properties that are asked for, and which there are not', async () => {
    const { dav } = await stage();
    const ask = (body: string) => dav('PROPFIND', '/a.txt', { headers: { depth: '0' }, body });
    const some = await ask(
      '<propfind xmlns="DAV:"><prop><getcontentlength/><none/><x xmlns="y"/></prop></propfind>',
    );
    const names = await ask('<propfind xmlns="DAV:"><propname/></propfind>');

    assert.match(some.text, /<D:getcontentlength>1<\/D:getcontentlength>.*200 OK/);
    assert.match(some.text, /<D:none\/><x:x xmlns:x="y"\/><\/D:prop><D:status>HTTP\/1.1 404/);
    assert.match(names.text, /<D:getetag\/>/);
  });
});

describe('PROPPATCH', () => {
  const update = (inner: string) => ({
    body: `<propertyupdate xmlns="DAV:" xmlns:Z="urn:schemas-microsoft-com:">${inner}</propertyupdate>`,
  });
  const time = '<Z:Win32LastModifiedTime>Sun, 22 Nov 2026 10:00:00 GMT</Z:Win32LastModifiedTime>';

  it("keeps a client's properties, such as Explorer's times, also when the file moves", async () => {
    const { dav } = await stage();
    const set = await dav('PROPPATCH', '/a.txt', update(`<set><prop>${time}</prop></set>`));
    await dav('MOVE', '/a.txt', { headers: { destination: '/dav/b.txt' } });
    const read = await dav('PROPFIND', '/b.txt', { headers: { depth: '0' } });

    assert.match(set.text, /200 OK/);
    assert.match(read.text, />Sun, 22 Nov 2026 10:00:00 GMT<\/x:Win32LastModifiedTime>/);
    const removal = '<remove><prop><Z:Win32LastModifiedTime/></prop></remove>';
    await dav('PROPPATCH', '/b.txt', update(removal));
    const after = await dav('PROPFIND', '/b.txt', { headers: { depth: '0' } });
    assert.doesNotMatch(after.text, /Win32/);
  });

  it('keeps the language of a property, its own or that of what it is in, also in a copy', async () => {
    const { dav } = await stage();
    const title = (value: string, attribute = '') => `<Z:title${attribute}>${value}</Z:title>`;
    const found = async (path = '/a.txt') => {
      const { text } = await dav('PROPFIND', path, { headers: { depth: '0' } });
      return /<x:title.*<\/x:title>/.exec(text)?.[0].replace(/ xmlns:x="[^"]*"/, '');
    };
    const set = (inner: string, attribute = '') =>
      dav('PROPPATCH', '/a.txt', update(`<set${attribute}><prop>${inner}</prop></set>`));

    await set(title('Straße', ' xml:lang="de-CH"'), ' xml:lang="en"');
    assert.equal(await found(), '<x:title xml:lang="de-CH">Straße</x:title>');
    await dav('COPY', '/a.txt', { headers: { destination: '/dav/c.txt' } });
    assert.equal(await found('/c.txt'), '<x:title xml:lang="de-CH">Straße</x:title>');
    await set(title('street'), ' xml:lang="&quot;&lt;"');
    assert.equal(await found(), '<x:title xml:lang="&quot;&lt;">street</x:title>');
    await set(title('none', ' xml:lang=""'), ' xml:lang="en"');
    assert.equal(await found(), '<x:title>none</x:title>');
    const { text } = await set(title('long', ` xml:lang="${'x'.repeat(101)}"`));
    assert.match(text, /507 Insufficient Storage/);
  });

  it('makes all changes or none: what the server computes cannot be set', async () => {
    const { dav } = await stage();
    const set = await dav(
      'PROPPATCH',
      '/a.txt',
      update(`<set><prop>${time}<getetag>x</getetag></prop></set>`),
    );
    const read = await dav('PROPFIND', '/a.txt', { headers: { depth: '0' } });

    assert.match(set.text, /424 Failed Dependency/);
    assert.match(set.text, /<D:getetag\/><\/D:prop><D:status>HTTP\/1.1 403 Forbidden/);
    assert.match(set.text, /cannot-modify-protected-property/);
    assert.doesNotMatch(read.text, /Win32/);
  });

  it('keeps no more than a few small ones', async () => {
    const { dav } = await stage();
    const many = Array.from({ length: 65 }, (_, n) => `<Z:p${n}/>`).join('');
    const long = `<Z:p>${'x'.repeat(5000)}</Z:p>`;
    const large = Array.from({ length: 5 }, (_, n) => `<Z:p${n}>${'x'.repeat(4000)}</Z:p${n}>`);

    for (const properties of [many, long, large.join('')]) {
      const { text } = await dav(
        'PROPPATCH',
        '/a.txt',
        update(`<set><prop>${properties}</prop></set>`),
      );
      assert.match(text, /507 Insufficient Storage/);
    }
    const texts: string[] = [];
    for (const property of large) {
      const set = update(`<set><prop>${property}</prop></set>`);
      texts.push((await dav('PROPPATCH', '/a.txt', set)).text);
    }
    assert.deepEqual(
      texts.map((text) => /HTTP\/1.1 (\d+)/.exec(text)?.[1]),
      [...Array(4).fill('200'), '507'],
    );
    assert.equal((await dav('PROPPATCH', '/a.txt', update(''))).status, 400);
  });
});

describe('the limits of WebDAV', () => {
  it('are counted per user, and not per address', async () => {
    const server = await startServer({ RATE_LIMIT_DEFAULT: '20' }, undefined, {
      limits: { dav_calls: 30 },
    });
    const people = await cast(server);
    const [one, other] = [
      await davClient(server, people.owner),
      await davClient(server, people.editor),
    ];
    const ask = async (dav: typeof one) =>
      (await dav('PROPFIND', '/', { headers: { depth: '0' } })).status;

    for (let n = 0; n < 30; n += 1) assert.equal(await ask(one), 207);
    const refused = await one('PROPFIND', '/', { headers: { depth: '0' } });
    assert.equal(refused.status, 429);
    assert.ok(Number(refused.headers['retry-after']) > 0);
    assert.equal(await ask(other), 207);
    assert.equal((await people.owner.get('/me')).status, 200);
  });

  it('stop guessing, and let those in whose key was valid before', async () => {
    const server = await startServer({ RATE_LIMIT_DEFAULT: '20' });
    const { owner, editor } = await cast(server);
    const [known, late] = [await newKey(owner), await newKey(editor)];
    const ask = async (headers: Record<string, string>) =>
      (await davClientWith(server, headers)('PROPFIND', '/', { headers: { depth: '0' } })).status;

    assert.equal(await ask({ authorization: basic(known) }), 207);
    for (let n = 0; n < 20; n += 1) {
      assert.equal(await ask({ authorization: basic(`guess ${n}`) }), 401);
    }
    assert.equal(await ask({ authorization: basic('another') }), 429);
    assert.equal(await ask({ authorization: basic(late) }), 429);
    assert.equal(await ask({ authorization: basic(known) }), 207);
    assert.equal(await ask({}), 401);
    assert.equal((await client(server.url).get('/me')).status, 401);
  });
});
