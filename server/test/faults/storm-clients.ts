/**
 * Clients that change files at servers that are killed meanwhile, and remember what was acknowledged.
 * A call without an answer is repeated at another server with its Idempotency-Key, or given up: then
 * it may have happened or not.
 */
import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import type { Answer, Client } from '../cast.ts';
import { isInBucket } from '../storage.ts';
import { until } from '../until.ts';
import { type Bytes, chunk, confirmation, putPart, type Upload } from '../uploads.ts';

export type Place = Pick<Client, 'get' | 'post' | 'delete' | 'fetch'> & { url: string };

/** What is known of a file. */
export type Known = {
  id?: number;
  isThere: 'yes' | 'no' | 'maybe';
  /** Checksums of contents that were acknowledged; the current one is the last, unless `maybe`. */
  acknowledged: string[];
  /** Of contents without an answer, which may have come after that. */
  maybe: Set<string>;
};

export type Storm = {
  /** By name. */
  files: Map<string, Known>;
  acknowledged: number;
  unanswered: number;
  /** Answers that nobody expects. */
  odd: string[];
};

type Tried = Answer | 'given up';

/** @param places the servers as they are now; replaced when one is started again. */
export function stormClients(places: Place[], folderId: number, count: number) {
  const storm: Storm = { files: new Map(), acknowledged: 0, unanswered: 0, odd: [] };
  let isOver = false;
  const lanes = Array.from({ length: count }, (_, lane) => live(lane));
  return {
    storm,
    stop: async () => {
      isOver = true;
      await Promise.all(lanes);
    },
  };

  async function live(lane: number) {
    const own: string[] = [];
    for (let turn = 0; !isOver; turn += 1) {
      const name = `${lane}-${turn}`;
      const known = own.filter((one) => storm.files.get(one)?.isThere === 'yes');
      const other = known[randomInt(known.length + 1)];
      const dice = randomInt(10);
      if (other === undefined || dice < 4) await uploadSmall(name);
      else if (dice === 4) await uploadLarge(name);
      else if (dice < 7) await addVersion(other);
      else if (dice < 9) await copy(other, name);
      else await remove(other);
      own.push(name);
    }
  }

  /**
   * Asks the servers in turn until one answers; or once, if the client is one that gives up.
   *
   * @param may other statuses than of success that are to be expected.
   */
  async function ask(say: (at: Place) => Promise<Answer>, may: number[] = []): Promise<Tried> {
    const isPatient = randomInt(10) < 7;
    let turn = randomInt(2);
    let answer: Answer | undefined;
    await until('a server answers', async () => {
      answer = await say(places[turn++ % places.length] as Place).catch(() => undefined);
      const isDone = answer !== undefined && answer.status !== 503;
      if (!isDone) storm.unanswered += 1;
      return isDone || !isPatient;
    });
    if (answer === undefined || answer.status === 503) return 'given up';
    if (answer.status < 300) storm.acknowledged += 1;
    else if (!may.includes(answer.status)) {
      storm.odd.push(`${answer.status} ${JSON.stringify(answer.body)}`);
    }
    return answer;
  }

  async function uploadSmall(name: string) {
    const bytes = new Uint8Array(randomBytes(randomInt(200_000)));
    const key = randomUUID();
    note(
      name,
      sha256(bytes),
      await ask((at) => sendFile(at, '/cogs/upload-file', name, bytes, key)),
    );
  }

  async function addVersion(name: string) {
    const known = storm.files.get(name) as Known;
    const bytes = new Uint8Array(randomBytes(randomInt(100_000)));
    const key = randomUUID();
    const path = `/cogs/${known.id}/content`;
    note(name, sha256(bytes), await ask((at) => sendFile(at, path, name, bytes, key)));
  }

  async function copy(from: string, name: string) {
    const source = storm.files.get(from) as Known;
    const headers = { 'idempotency-key': randomUUID() };
    const body = { parent_id: folderId, name };
    const tried = await ask((at) => at.post(`/cogs/${source.id}/copy`, body, { headers }));
    const contents = [...source.acknowledged.slice(-1), ...source.maybe];
    if (tried === 'given up') {
      storm.files.set(name, { isThere: 'maybe', acknowledged: [], maybe: new Set(contents) });
    } else note(name, tried.body.checksum_sha256, tried);
  }

  async function remove(name: string) {
    const known = storm.files.get(name) as Known;
    // It is gone already if only the answer was lost.
    const tried = await ask((at) => at.delete(`/cogs/${known.id}`), [404]);
    known.isThere = tried === 'given up' ? 'maybe' : 'no';
  }

  async function uploadLarge(name: string) {
    const bytes = new Uint8Array(randomBytes(chunk + 1 + randomInt(1_000_000)));
    const headers = { 'idempotency-key': randomUUID() };
    const wanted = { name, parent_id: folderId, file_size: bytes.length, chunk_size: chunk };
    const begun = await ask((at) => at.post('/cogs/uploads/initiate', wanted, { headers }));
    if (begun === 'given up' || begun.status !== 201) return;
    const upload: Upload = begun.body;
    const parts: object[] = [];
    for (const { part_number, url } of upload.parts) {
      const part = bytes.slice((part_number - 1) * chunk, part_number * chunk);
      const tried = await ask(async (at) => {
        const { status, etag } = await putPart(isInBucket ? url : atServer(url, at), part);
        return { status, body: etag, headers: new Headers() };
      });
      if (tried === 'given up') return;
      parts.push({ part_number, etag: tried.body });
    }
    const body = confirmation(upload, bytes.length, parts);
    for (;;) {
      const tried = await ask((at) => at.post('/cogs/confirm-upload', body));
      if (tried !== 'given up' && tried.status === 202) continue;
      return note(name, sha256(bytes), tried);
    }
  }

  function note(name: string, sha: string, tried: Tried) {
    const known = storm.files.get(name) ?? { isThere: 'maybe', acknowledged: [], maybe: new Set() };
    storm.files.set(name, known);
    if (tried === 'given up') known.maybe.add(sha);
    else if (tried.status === 201) {
      known.isThere = 'yes';
      known.id = tried.body.id;
      known.acknowledged.push(sha);
    }
  }

  async function sendFile(at: Place, path: string, name: string, bytes: Bytes, key: string) {
    const form = new FormData();
    if (path === '/cogs/upload-file') form.set('parent_id', String(folderId));
    form.set('file', new File([bytes], name));
    const answer = await at.fetch(path, {
      method: 'POST',
      body: form,
      headers: { 'idempotency-key': key },
    });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  }
}

/** A URL of one server, at another one with the same data. */
const atServer = (url: string, at: Place) => url.replace(new URL(url).origin, at.url);

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
