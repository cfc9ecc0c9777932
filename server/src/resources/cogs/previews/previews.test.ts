import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { type Client, cast } from '../../../../test/cast.ts';
import { startServer } from '../../../../test/server.ts';
import { folder } from '../../../../test/sharing.ts';
import { usualLimits } from '../../../limits.ts';
import { collectDeadObjects, collectReleased } from '../../../objects/objects.ts';
import { removePurged } from '../trash/trash.ts';

const { owner, viewer, stranger, server } = await cast();
const { db, storage } = server.services;

const bytes = (text: string) => Buffer.from(text, 'latin1');
const image = (width: number, height: number, background = '#f00') =>
  sharp({ create: { width, height, channels: 3, background } });
const photo = await image(800, 400).jpeg().toBuffer();

/** A page with these drawing commands, and objects they use. */
function pdf(content: string, { box = '0 0 200 100', resources = '', objects = '' } = {}) {
  return bytes(`%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[${box}]/Resources<<${resources}>>/Contents 4 0 R>>endobj
4 0 obj<</Length ${content.length}>>stream
${content}
endstream endobj
${objects}
trailer<</Root 1 0 R>>`);
}

/** Each of twelve forms draws the next one ten times: a million million squares. */
function endlessPdf() {
  const form = (n: number) => {
    const text = n === 12 ? '0 0 9 9 re f' : `/F${n + 1} Do `.repeat(10);
    return `${10 + n} 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 200 100]/Resources<</XObject<</F${n + 1} ${11 + n} 0 R>>>>/Length ${text.length}>>stream
${text}
endstream endobj`;
  };
  return pdf('/F0 Do', {
    resources: '/XObject<</F0 10 0 R>>',
    objects: Array.from({ length: 13 }, (_, n) => form(n)).join('\n'),
  });
}

/** A PNG that claims to have this size, with no more than its first bytes of pixels. */
function claimedPng(width: number, height: number) {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const chunk = (type: string, data: Buffer) => {
    const typed = Buffer.concat([bytes(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(typed));
    return Buffer.concat([length, typed, sum]);
  };
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(1_000_000)))];
  return Buffer.concat([bytes('\x89PNG\r\n\x1a\n'), ...parts, chunk('IEND', Buffer.alloc(0))]);
}

let files = 0;

async function stored(who: Client, name: string, content: Buffer, type?: string): Promise<number> {
  files += 1;
  const { status, body } = await who.upload(
    `${files}-${name}`,
    new Uint8Array(content),
    undefined,
    type,
  );
  assert.equal(status, 201);
  return body.id;
}

const preview = (who: Client, id: number, query = '') => who.fetch(`/cogs/${id}/preview${query}`);

/** Asks until it is made or refused. */
async function settled(who: Client, id: number, query = ''): Promise<Response> {
  for (;;) {
    const answer = await preview(who, id, query);
    if (answer.status !== 202) return answer;
    assert.deepEqual(await answer.json(), { status: 'being_made' });
  }
}

async function picture(answer: Response) {
  assert.equal(answer.status, 200);
  return sharp(Buffer.from(await answer.arrayBuffer()));
}

async function refusal(who: Client, content: Buffer, name = 'file.png', type = 'image/png') {
  const answer = await settled(who, await stored(who, name, content, type));
  const { code, detail } = (await answer.json()) as { code: string; detail: string };
  assert.deepEqual([answer.status, code], [415, 'no_preview']);
  return detail;
}

const keysOf = async (id: number) =>
  (
    await db<{ key: string }[]>`
      select made.key
      from previews
      join cogs on cogs.tenant_id = previews.tenant_id and cogs.object_id = previews.object_id
      join objects as made on made.id = previews.preview_object_id
      where cogs.id = ${id}
    `
  ).map(({ key }) => key);

describe('GET /cogs/{id}/preview', () => {
  it('answers a small WebP that only its reader may cache', async () => {
    const id = await stored(owner, 'photo.jpg', photo);

    const answer = await settled(owner, id);

    assert.equal(answer.headers.get('content-type'), 'image/webp');
    assert.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(answer.headers.get('cache-control'), 'private, no-cache');
    assert.match(answer.headers.get('content-security-policy') ?? '', /^sandbox/);
    const etag = answer.headers.get('etag') ?? '';
    const { width, height, format } = await (await picture(answer)).metadata();
    assert.deepEqual([width, height, format], [256, 128, 'webp']);
    const again = await owner.fetch(`/cogs/${id}/preview`, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
  });

  it('has two sizes, and never enlarges an image', async () => {
    const id = await stored(owner, 'large.jpg', photo);
    const { width } = await (await picture(await settled(owner, id, '?size=1024'))).metadata();
    assert.equal(width, 800);
    assert.equal((await preview(owner, id, '?size=5000')).status, 422);
  });

  it('has few bytes, also of noise that no encoder makes small', async () => {
    const noise = sharp(randomBytes(1024 * 1024 * 4), {
      raw: { width: 1024, height: 1024, channels: 4 },
    });
    const id = await stored(owner, 'noise.png', await noise.png().toBuffer());
    for (const [size, most] of [
      [256, 32 * 1024],
      [1024, 512 * 1024],
    ] as const) {
      const answer = await settled(owner, id, `?size=${size}`);
      assert.equal(answer.status, 200);
      const { byteLength } = await answer.arrayBuffer();
      assert.ok(byteLength <= most, `${byteLength} bytes for ${size} pixels`);
    }
  });

  for (const format of ['png', 'webp', 'gif', 'tiff', 'avif'] as const) {
    it(`reads ${format}, whatever the file is called`, async () => {
      const content = await image(300, 300).toFormat(format).toBuffer();
      const id = await stored(owner, `${format}.bin`, content, 'application/octet-stream');
      const { data } = await (await picture(await settled(owner, id)))
        .raw()
        .toBuffer({ resolveWithObject: true });
      assert.ok((data[0] ?? 0) > 240 && (data[1] ?? 255) < 15);
    });
  }

  it('turns a photo upright, and does not tell where it was taken', async () => {
    const content = await image(400, 200)
      .withExif({ IFD0: { Copyright: 'somebody' }, IFD3: { GPSLatitude: '51/1 30/1 0/1' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const id = await stored(owner, 'turned.jpg', content);
    const { width, height, exif } = await (await picture(await settled(owner, id))).metadata();
    assert.deepEqual([width, height, exif], [128, 256, undefined]);
  });

  it('draws the first page of a PDF', async () => {
    const id = await stored(owner, 'page.pdf', pdf('1 0 0 rg 0 0 100 100 re f'));
    const { data, info } = await (await picture(await settled(owner, id)))
      .raw()
      .toBuffer({ resolveWithObject: true });
    assert.deepEqual([info.width, info.height], [256, 128]);
    const at = (x: number) => [...data.subarray((64 * 256 + x) * info.channels).subarray(0, 3)];
    assert.ok((at(30)[1] ?? 255) < 15 && (at(230)[1] ?? 0) > 240);
  });

  it('draws a page of any size within the same bounds', async () => {
    const id = await stored(owner, 'wide.pdf', pdf('', { box: '0 0 1000000000 1' }));
    const answer = await settled(owner, id);
    assert.ok(answer.status === 200 || answer.status === 415);
  });

  it('shows an earlier version', async () => {
    const id = await stored(owner, 'changing.png', await image(100, 50).png().toBuffer());
    const form = new FormData();
    form.set('file', new File([new Uint8Array(photo)], 'changing.png'));
    await owner.fetch(`/cogs/${id}/content`, { method: 'PUT', body: form });

    const { width } = await (await picture(await settled(owner, id, '?version=1'))).metadata();
    assert.equal(width, 100);
    assert.equal((await preview(owner, id, '?version=9')).status, 404);
  });

  it('is for those who may see the file', async () => {
    const id = await stored(owner, 'private.jpg', photo);
    await settled(owner, id);
    assert.equal((await preview(viewer, id)).status, 403);
    assert.equal((await preview(stranger, id)).status, 404);
    assert.equal((await preview(stranger, id, '?version=1')).status, 404);
  });
});

describe('a file without a preview', () => {
  it('is one of another type, whatever it calls itself', async () => {
    assert.match(await refusal(owner, bytes('<html><script>1</script>')), /Only images/);
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><image href="file:///etc/passwd"/></svg>';
    assert.match(await refusal(owner, bytes(svg), 'a.svg', 'image/svg+xml'), /Only images/);
    assert.match(await refusal(owner, Buffer.alloc(0)), /Only images/);
  });

  it('is one that is cut off or damaged', async () => {
    assert.match(await refusal(owner, photo.subarray(0, 300)), /damaged/);
    assert.match(await refusal(owner, bytes('%PDF-1.7 and nothing else')), /damaged/);
  });

  it('is an image of too many pixels, which is refused before it is decoded', async () => {
    assert.match(await refusal(owner, claimedPng(65_535, 65_535)), /pixels/);
    assert.match(await refusal(owner, claimedPng(50_000, 50_000)), /pixels/);
  });

  it('is remembered: it is not tried again', async () => {
    const id = await stored(owner, 'bad.jpg', photo.subarray(0, 200));
    await settled(owner, id);
    const triesOf = () => db`
      select tries, reason from previews
      join cogs on cogs.tenant_id = previews.tenant_id and cogs.object_id = previews.object_id
      where cogs.id = ${id}
    `;
    assert.equal((await preview(owner, id)).status, 415);
    assert.deepEqual([...(await triesOf())], [{ tries: 1, reason: 'unreadable' }]);
  });
});

describe('bytes that harm the process that reads them', () => {
  it('end it, while others are answered, and the next preview is made', async () => {
    const previews = { ...usualLimits.previews, time_ms: 300, wait_ms: 1 };
    const bounded = await startServer({}, undefined, { limits: { previews } });
    const { owner: attacker, stranger: other } = await cast(bounded);
    const id = await stored(attacker, 'endless.pdf', endlessPdf());

    assert.equal((await preview(attacker, id)).status, 202);
    assert.equal((await preview(attacker, id)).status, 202);
    const own = await stored(other, 'photo.jpg', photo);
    assert.equal((await settled(other, own)).status, 200);
    assert.equal((await attacker.get(`/cogs/${id}`)).status, 200);
    const answer = await settled(attacker, id);
    assert.equal(answer.status, 415);
    assert.match(await answer.text(), /too much time/);
    assert.equal((await attacker.fetch(`/cogs/${id}/download`)).status, 200);
    const next = await stored(attacker, 'next.jpg', photo);
    assert.equal((await settled(attacker, next)).status, 200);
  });

  it('get no more memory than there is for them', async () => {
    const previews = { ...usualLimits.previews, memory_mb: 60 };
    const bounded = await startServer({}, undefined, { limits: { previews } });
    const { owner: attacker } = await cast(bounded);
    // Progressive: all of it is held before the first line is known.
    const hog = await image(9000, 9000).jpeg({ progressive: true }).toBuffer();
    assert.match(await refusal(attacker, hog, 'hog.jpg'), /memory|damaged/);
    const small = await stored(attacker, 'small.jpg', photo);
    assert.equal((await settled(attacker, small)).status, 200);
  });

  it('do not keep the server from stopping', async () => {
    const previews = { ...usualLimits.previews, wait_ms: 1 };
    const stopping = await startServer({}, undefined, { limits: { previews } });
    const { owner: attacker } = await cast(stopping);
    const id = await stored(attacker, 'endless.pdf', endlessPdf());
    assert.equal((await preview(attacker, id)).status, 202);
    await stopping.http.close();
  });
});

describe('the bytes of a preview', () => {
  it('are shared by copies, made once, and removed with the last of them', async () => {
    const place = await folder(owner, 'copies');
    const id = await stored(owner, 'shared.jpg', await image(500, 300, '#0f0').jpeg().toBuffer());
    const made = await Promise.all([1, 2, 3].map(() => settled(owner, id)));
    assert.deepEqual(new Set(made.map(({ status }) => status)), new Set([200]));
    const copy = (await owner.post(`/cogs/${id}/copy`, { parent_id: place.id })).body.id;
    const [key = '', ...more] = await keysOf(copy);
    assert.deepEqual([await keysOf(id), more], [[key], []]);
    const remains = async () => {
      while ((await removePurged(db, 100)) > 0);
      while ((await collectReleased(db, new Date(), 100)) > 0);
      await collectDeadObjects({ db, storage }, new Date(), 1000);
      return (await storage.stat(key)) !== undefined;
    };
    const purge = async (cog: number) => {
      await owner.delete(`/cogs/${cog}`);
      assert.equal((await owner.delete(`/cogs/${cog}?permanent=true`)).status, 204);
    };

    await purge(id);
    assert.equal(await remains(), true);
    assert.equal((await preview(owner, copy)).status, 200);
    await purge(copy);
    assert.equal(await remains(), false);
  });
});
