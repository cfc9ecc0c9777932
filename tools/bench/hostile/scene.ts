/** Two tenants: a quiet one, and one with 300,000 files and a hostile member. */
import { insertFiles } from '../many-files.ts';
import { type BenchServer, tokenOf } from '../server.ts';

export type Scene = {
  url: string;
  quiet: { token: string; worker: { id: number; token: string } };
  hostile: {
    token: string;
    worker: { id: number; token: string };
    /** A folder with 10,000 files, and a version that maps 25 nodes over them. */
    folder: number;
    large_version: number;
    /** A version whose draft has as many faults as possible. */
    faulty_version: number;
  };
};

const files = 300_000;
const filesPerFolder = 10_000;
const image = 'registry.example/tools/nothing:1';

export async function setScene(server: BenchServer): Promise<Scene> {
  const quiet = await tenant(server, 'quiet');
  const hostile = await tenant(server, 'hostile');
  const api = client(server.url, hostile.token);
  await client(server.url, quiet.token)('POST', '/cogs/', {
    name: 'Documents',
    cog_type: 'asset_folder',
  });
  const root = (await api('GET', '/cogs/root')).id;
  const [folder = 0] = await insertFiles(server.db, {
    tenantId: hostile.tenant_id,
    parentId: root,
    folders: files / filesPerFolder,
    perFolder: filesPerFolder,
  });
  await api('POST', '/secrets/', {
    name: 'REGISTRY',
    kind: 'registry',
    value: { server: 'registry.example', username: 'user', password: 'password' },
  });
  const member = await memberOf(server, hostile.tenant_id, api, folder);
  return {
    url: server.url,
    quiet: { token: quiet.token, worker: await worker(server, quiet.token) },
    hostile: {
      token: member,
      worker: await worker(server, hostile.token),
      folder,
      large_version: await largeVersion(client(server.url, member)),
      faulty_version: await faultyVersion(client(server.url, member)),
    },
  };
}

type Api = ReturnType<typeof client>;

/** Sends JSON. @throws Error unless the answer is a success. */
function client(url: string, token: string) {
  // biome-ignore lint/suspicious/noExplicitAny: what the server sent
  return async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) {
      throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
    }
    return JSON.parse(text);
  };
}

async function tenant(server: BenchServer, name: string) {
  const email = `${name}@example.test`;
  const made = await server.admin('create-tenant', '--name', name, '--admin-email', email);
  const { tenant_id } = JSON.parse(made) as { tenant_id: number };
  return { tenant_id, token: await tokenOf(server, email) };
}

/** A member who sees one of the thirty folders, so that rights have to be checked. */
async function memberOf(server: BenchServer, tenantId: number, admin: Api, folder: number) {
  const email = 'member@example.test';
  const made = await server.admin('create-user', '--tenant', String(tenantId), '--email', email);
  const { user_id } = JSON.parse(made) as { user_id: number };
  await admin('POST', `/permissions/cogs/${folder}`, {
    target_type: 'cog',
    target_id: folder,
    user_id,
    level: 'editor',
  });
  return tokenOf(server, email);
}

async function worker(server: BenchServer, adminToken: string) {
  const { id, worker_token } = await client(server.url, adminToken)('POST', '/workers', {
    name: 'bench',
    capacity: { cpu: 4, memory_mb: 8192, gpu: 0, disk_mb: 8192 },
  });
  return { id: id as number, token: worker_token as string };
}

async function largeVersion(api: Api): Promise<number> {
  const definition = await api('POST', '/node_definitions', {
    name: 'nothing',
    version: '1',
    image,
    command: ['true'],
    inputs: [{ name: 'in', cardinality: 'one' }],
    outputs: [{ name: 'out', glob: '*', cardinality: 'one' }],
    resources: { cpu: 1, memory_mb: 64, gpu: 0, disk_mb: 64 },
  });
  const keys = Array.from({ length: 25 }, (_, index) => `node_${index}`);
  const graph = {
    nodes: keys.map((key) => ({ key, node_definition_id: definition.id, map: true })),
    edges: keys.map((node) => ({ from: { input: 'files' }, to: { node, port: 'in' } })),
    inputs: [{ name: 'files' }],
    variables: [],
  };
  return (await api('POST', '/workflows/', { name: 'Large', graph })).latest_version_id;
}

/** As many invalid edges as the server accepts in one body. */
async function faultyVersion(api: Api): Promise<number> {
  for (const edges of [55_000, 40_000, 20_000, 10_000, 4000, 2000, 1000]) {
    const graph = {
      nodes: [],
      edges: Array.from({ length: edges }, (_, index) => ({
        from: { node: `a${index}`, port: 'p' },
        to: { node: `b${index}`, port: 'p' },
      })),
      inputs: [],
      variables: [],
    };
    const made = await api('POST', '/workflows/', { name: `Faulty ${edges}`, graph }).catch(
      () => undefined,
    );
    if (!made) continue;
    console.log(`The faulty graph has ${edges} edges.`);
    return made.latest_version_id;
  }
  throw new Error('No faulty graph was accepted.');
}
