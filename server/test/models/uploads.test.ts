/**
 * Random uploads in parts of two users, alone and two calls at the same time, while names are taken,
 * folders deleted, rights revoked and time passes: each call is answered as the model says, in some
 * order, and what is stored afterwards is what was confirmed.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { findMiscounted, readUsage } from '../../src/objects/quota.ts';
import { endExpiredUploads } from '../../src/resources/cogs/large-uploads/expiry.ts';
import { changeTenantSettings } from '../../src/resources/users/users.ts';
import { type Answer, type Client, cast } from '../cast.ts';
import { collectAll } from '../duties.ts';
import { inventoryOf } from '../inventory.ts';
import { testServer } from '../server.ts';
import { folder, share } from '../sharing.ts';
import { isInBucket } from '../storage.ts';
import { chunk, confirm, putPart } from '../uploads.ts';
import { runsOf, Tally } from './runs.ts';
import { index } from './tree-world.ts';
import { after, type Call, type Parts, type State, stored, verdictOn } from './upload-model.ts';

const server = await testServer();
const { db, storage, config } = server.services;

// biome-ignore lint/suspicious/noExplicitAny: what the server really sent
type Wire = any;

type World = {
  owner: Client;
  editor: Client;
  folders: number[];
  /** What the server told of each upload. */
  wires: Map<number, Wire>;
  /** ETags of the stored parts. */
  etags: Map<string, string>;
  state: State;
};

/** A smaller part would be refused, so files in two parts are large: they are few. */
const sizes = [0, 1, 7, 1000, 1000, chunk + 3];
const limit = 3 * chunk;

async function openWorld(): Promise<World> {
  const { owner, editor } = await cast(server);
  const { tenant_id } = owner.user;
  await changeTenantSettings(db, tenant_id, { storage_limit_bytes: limit });
  const folders = [(await folder(owner, 'one')).id, (await folder(owner, 'two')).id];
  const empty = { uploads: new Map(), trash: new Set<number>(), names: new Map() };
  const state = { ...empty, folders: new Set(folders), shared: new Set<number>(), limit };
  return { owner, editor, folders, wires: new Map(), etags: new Map(), state };
}

const kinds: [Call['do'], number][] = [
  ...([
    ['initiate', 9],
    ['put', 14],
    ['confirm', 14],
    ['abort', 2],
    ['expire', 1],
  ] as const),
  ...([
    ['take', 2],
    ['delete', 1],
    ['restore', 2],
    ['share', 3],
    ['revoke', 1],
  ] as const),
].map(([kind, weight]) => [kind, weight]);

const wish = fc.record({
  do: fc.oneof(...kinds.map(([kind, weight]) => ({ weight, arbitrary: fc.constant(kind) }))),
  at: index,
  dice: index,
});
type Wish = { do: Call['do']; at: number; dice: number };

/** One call, or two at the same time; the second is often about the same upload. */
const steps = fc.array(fc.tuple(wish, fc.option(wish, { freq: 1 })), {
  minLength: 1,
  maxLength: 40,
  size: 'max',
});

/** A history in which every kind of call is accepted, because a few random ones may lack one. */
const everyKind: [Wish, null][] = (
  [
    ['initiate', 0, 16],
    ['put', 1, 2],
    ['confirm', 1, 2],
    ['initiate', 0, 18],
    ['abort', 1, 2],
    ['take', 0, 4],
    ['share', 0, 0],
    ['revoke', 0, 0],
    ['initiate', 0, 18],
    ['expire', 0, 0],
  ] as const
).map(([kind, at, dice]) => [{ do: kind, at, dice }, null]);

function callOf({ owner, editor, folders, state }: World, wished: Wish): Call {
  const pick = <T>(from: readonly T[], place: number) => from[place % from.length] as T;
  const { at, dice } = wished;
  const by = pick([owner, editor], dice).user.id;
  const all = [...state.uploads.values()];
  const open = all.filter((one) => one.state === 'open');
  const upload = pick(open.length > 0 && at % 8 > 0 ? open.slice(-3) : all, at >> 3);
  const place = { folder: pick(folders, at), name: pick(['a', 'b', 'c', 'd', 'e'], dice >> 1) };
  const isAbout = ['put', 'confirm', 'abort'].includes(wished.do);
  const kind = upload === undefined && isAbout ? 'initiate' : wished.do;
  switch (kind) {
    case 'initiate': {
      const size = pick(sizes, dice >> 4);
      return { do: 'initiate', by, ...place, size, partCount: size > chunk ? 2 : 1 };
    }
    case 'put': {
      if (!upload) break;
      // Missing ones more often than again.
      const missing = [1, 2].slice(0, upload.partCount).filter((one) => !upload.parts.has(one));
      const part = dice % 4 > 0 && missing[0] ? missing[0] : 1 + (dice % upload.partCount);
      const size = dice % 10 === 0 ? 'short' : dice % 10 === 1 ? 'long' : 'right';
      return { do: 'put', upload: upload.id, part, seed: dice % 256, size };
    }
    case 'confirm': {
      if (!upload) break;
      const parts = pick<Parts>(
        ['all', 'all', 'all', 'backwards', 'one too few', 'wrong etags'],
        dice,
      );
      const who = dice % 9 === 0 ? by : upload.by;
      const renamed = dice % 7 === 0 ? { name: place.name } : {};
      const moved = dice % 5 === 0 ? { folder: place.folder } : {};
      const { id, parts: listed } = upload;
      return { do: 'confirm', by: who, upload: id, parts, listed, ...renamed, ...moved };
    }
    case 'abort':
      if (!upload) break;
      return { do: 'abort', by: dice % 9 === 0 ? by : upload.by, upload: upload.id };
    case 'take':
      return { do: 'take', ...place };
    case 'delete':
    case 'restore': {
      const [inTrash = place.folder] = state.trash;
      return { do: kind, folder: kind === 'restore' ? inTrash : place.folder };
    }
    case 'share':
    case 'revoke':
    case 'expire':
      return { do: kind };
    default:
      break;
  }
  return { do: 'take', ...place };
}

describe('uploads in parts', () => {
  it('do what the model does, whatever happens at the same time', async (test) => {
    const tally = new Tally();
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const world = await openWorld();
        for (const [first, second] of all) {
          const calls = [callOf(world, first)];
          if (second) calls.push(callOf(world, { ...second, at: first.at }));
          await make(world, calls, tally);
        }
        await compare(world);
      }),
      // A race does not repeat: nothing could be shrunk.
      { ...runsOf(isInBucket ? 3 : 15, test), endOnFailure: true, examples: [[everyKind]] },
    );
    test.diagnostic(String(tally));
    for (const kind of ['initiate', 'put', 'confirm', 'abort', 'expire', 'take', 'revoke'])
      assert.ok(tally.counts.has(kind), `no ${kind} was ever accepted`);
  });
});

type Told = { call: Call; refusal: string | undefined; made: number };

async function make(world: World, calls: Call[], tally: Tally): Promise<void> {
  const answers = await Promise.all(calls.map((call) => send(world, call)));
  const told = calls.map((call, at): Told => {
    const answer = answers[at];
    const refusal = answer && refusalOf(answer);
    tally.add(refusal ?? call.do);
    if (call.do === 'initiate' && refusal === undefined) {
      world.wires.set(answer?.body.upload_id, answer?.body);
    }
    return { call, refusal, made: answer?.body?.upload_id ?? 0 };
  });
  const before = JSON.stringify([...world.state.uploads.values(), ...world.state.names.keys()]);
  const state = await inSomeOrder(world, told);
  assert.ok(state, `${JSON.stringify(told)}\nbefore: ${before}`);
  world.state = state;
}

/** The states after the calls in either order that fit the answers, and what the server shows now. */
async function inSomeOrder(world: World, told: Told[]): Promise<State | undefined> {
  const shown = await shownOf(world);
  for (const order of [told, told.toReversed()]) {
    let state: State | undefined = world.state;
    for (const one of order) state = state && stepOf(world, state, one);
    if (state && JSON.stringify(statesOf(state)) === JSON.stringify(shown)) return state;
  }
  return undefined;
}

function stepOf({ owner }: World, state: State, { call, refusal, made }: Told): State | undefined {
  const { must, may } = verdictOn(state, call, owner.user.id);
  const fits = refusal === undefined ? must.length === 0 : [...must, ...may].some(is(refusal));
  return fits ? after(state, call, refusal, made) : undefined;
}

const is = (refusal: string) => (reason: string) =>
  reason === refusal || reason === refusal.slice(0, 3) || (reason === '4xx' && refusal < '5');

const statesOf = ({ uploads }: State) =>
  [...uploads.values()].map(({ id, state }) => [id, state]).sort();

/** The states of all uploads, as their users see them. */
async function shownOf({ owner, editor, wires }: World) {
  const { body: own } = await owner.get('/cogs/uploads');
  const { body: others } = await editor.get('/cogs/uploads');
  const open = new Set([...own, ...others].map(({ upload_id }: Wire) => upload_id));
  const states = [...wires.keys()].map(async (id) => {
    const answers = await Promise.all([owner, editor].map((one) => one.get(`/cogs/uploads/${id}`)));
    const { state } = answers.find(({ status }) => status === 200)?.body ?? {};
    assert.equal(open.has(id), state === 'open', `${id} is ${state}`);
    return [id, state];
  });
  return (await Promise.all(states)).sort();
}

const refusalOf = ({ status, body }: Answer) =>
  status < 400 ? undefined : [status, body?.code ?? []].flat().join(' ');

async function send(world: World, call: Call): Promise<Answer> {
  const { owner, editor, folders, wires, state, etags } = world;
  const done: Answer = { status: 200, body: {}, headers: new Headers() };
  const by = (id: number) => (id === owner.user.id ? owner : editor);
  switch (call.do) {
    case 'initiate':
      return by(call.by).post('/cogs/uploads/initiate', {
        ...{ name: call.name, parent_id: call.folder, file_size: call.size, chunk_size: chunk },
      });
    case 'put': {
      const { part_number, url, size_bytes } = wires.get(call.upload).parts[call.part - 1];
      const size = size_bytes + (call.size === 'long' ? 1 : call.size === 'short' ? -1 : 0);
      const { status, etag } = await putPart(url, bytesOf(call.seed, Math.max(0, size)));
      if (status === 200) etags.set(`${call.upload}/${part_number}`, etag);
      return { ...done, status };
    }
    case 'confirm': {
      const upload = state.uploads.get(call.upload);
      const parts = [...call.listed.keys()].sort().map((part_number) => ({
        part_number,
        etag: call.parts === 'wrong etags' ? '"no"' : etags.get(`${call.upload}/${part_number}`),
      }));
      const given = call.parts === 'one too few' ? parts.slice(1) : parts;
      return confirm(
        by(call.by),
        wires.get(call.upload),
        upload?.size ?? 0,
        call.parts === 'backwards' ? given.toReversed() : given,
        {
          ...(call.name === undefined ? {} : { name: call.name }),
          ...(call.folder === undefined ? {} : { parent_id: call.folder }),
        },
      );
    }
    case 'abort':
      return by(call.by).delete(`/cogs/uploads/${call.upload}`);
    case 'expire':
      await endExpiredUploads({ db, storage }, new Date(Date.now() + 8 * 86_400_000), 100);
      return done;
    case 'take':
      return owner.upload(call.name, 'x', call.folder);
    case 'delete':
      return owner.delete(`/cogs/${call.folder}`);
    case 'restore':
      return owner.post(`/cogs/${call.folder}/restore`);
    default: {
      const changes = folders
        .filter((id) => state.folders.has(id))
        .map((id) =>
          call.do === 'share' ? share(owner, id, editor, 'editor') : revoke(world, id),
        );
      await Promise.all(changes);
      return done;
    }
  }
}

async function revoke({ owner, editor }: World, id: number) {
  const { body } = await owner.get(`/permissions/cogs/${id}`);
  const grant = body.find(({ user_id }: Wire) => user_id === editor.user.id);
  if (grant) await owner.delete(`/permissions/${grant.permission_id}`);
}

const bytesOf = (seed: number, size: number) => new Uint8Array(size).fill(seed);

/** Exactly what was confirmed can be downloaded, and nothing else is stored. */
async function compare({ owner, state }: World) {
  for (const id of state.trash) await owner.post(`/cogs/${id}/restore`);
  for (const { content, folder: parent, name, size } of state.uploads.values()) {
    if (!content) continue;
    const query = `parent_id=${parent}&name=${encodeURIComponent(name)}`;
    const { body } = await owner.get(`/cogs/?${query}`);
    const hash = createHash('sha256');
    for (const [at, seed] of content.entries()) {
      hash.update(bytesOf(seed, Math.min(chunk, size - at * chunk)));
    }
    assert.equal(body[0]?.checksum_sha256, hash.digest('hex'), query);
    const answer = await owner.fetch(`/cogs/${body[0].id}/download`);
    const bytes = Buffer.from(await answer.arrayBuffer());
    assert.equal(createHash('sha256').update(bytes).digest('hex'), body[0].checksum_sha256);
  }
  const { tenant_id } = owner.user;
  const held = await readUsage(db, tenant_id);
  const { used, reserved } = stored(state);
  assert.deepEqual([held.used_bytes, held.reserved_bytes], [used, reserved]);
  await collectAll(server.services, 9);
  assert.equal((await readUsage(db, tenant_id)).reserved_bytes, 0);
  const inventory = inventoryOf(config.data_dir);
  const own = (keys: string[]) => keys.filter((key) => key.startsWith(`${tenant_id}/`));
  assert.equal(own(await inventory.keys()).length, state.names.size);
  assert.deepEqual(own(await inventory.arriving()), []);
  assert.deepEqual(await inventory.partial(), []);
  assert.equal((await findMiscounted(db)).length, 0);
}
