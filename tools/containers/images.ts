/**
 * Images for tests and the demo, built without pulling: one with only busybox, one with tools for
 * documents and pictures. An image is a folder with a tar and its digest; pushing it takes four
 * HTTP requests.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import {
  access,
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../worker/src/containers/command.ts';
import { findProgram } from '../../worker/src/containers/probe.ts';
import type { Credentials } from './registry.ts';

export type BuiltImage = {
  /** The only layer, an uncompressed tar: on a loopback address compression would be slower. */
  layer: string;
  digest: string;
  size: number;
};

/** Images are kept here between builds; `.cache/` is not part of the repository. */
const cacheDir = join(import.meta.dirname, '../../.cache/images');

/** 2 MB: a shell and some 270 small tools. Built in a tenth of a second. */
export function busyboxImage(log: (line: string) => void = () => undefined): Promise<BuiltImage> {
  return cached('busybox-1', log, async (folder) => {
    const root = join(folder, 'root');
    await addBusybox(root);
    const tar = join(folder, 'layer.tar');
    await mustRun('tar', [...reproducible, '-C', root, '-cf', tar, '.']);
    return tar;
  });
}

const reproducible = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner'];

const documentPackages = ['poppler-utils', 'imagemagick', 'fonts-dejavu-core', 'ca-certificates'];

/** poppler-utils and imagemagick on the shell of busybox; some 200 MB, built once in half a minute. */
export function documentsImage(log: (line: string) => void = () => undefined): Promise<BuiltImage> {
  return cached('documents-2', log, async (folder) => {
    const bootstrap = await findProgram('mmdebstrap');
    if (!bootstrap)
      throw new Error(
        'Install mmdebstrap first: node tools/run.mjs tools/containers/setup.ts --tests',
      );
    log('Building an image with poppler-utils and imagemagick; about half a minute …');
    const root = join(folder, 'extra');
    await addBusybox(root);
    const tar = join(folder, 'layer.tar');
    await mustRun(bootstrap, [
      // No maintainer scripts run: this is faster, and nothing in the image starts by itself. Files
      // get owners; without root those are ids of the user's own range (newuidmap).
      ...[`--mode=${process.getuid?.() === 0 ? 'root' : 'unshare'}`],
      ...['--variant=extract', '--quiet'],
      ...[`--include=${documentPackages.join(',')}`],
      ...['--dpkgopt=path-exclude=/usr/share/doc/*', '--dpkgopt=path-exclude=/usr/share/man/*'],
      ...['--dpkgopt=path-exclude=/usr/share/locale/*'],
      `--extract-hook=copy-in ${join(root, 'bin')} ${join(root, 'tmp')} /`,
      // Copied files would keep their owner's id, which another machine may not map.
      '--extract-hook=chown -hR 0:0 "$1/bin" "$1/tmp"',
      // Without its script the package does not create the plain names that workflows use.
      '--extract-hook=cd "$1/usr/bin" && for t in convert identify mogrify montage composite; do ln -sf "$t-im6.q16" "$t"; done',
      ...['bookworm', tar],
    ]);
    return tar;
  });
}

/** The shell and its tools, under /bin as links to one program. */
async function addBusybox(root: string): Promise<void> {
  const busybox = await findProgram('busybox');
  if (!busybox)
    throw new Error(
      'Install busybox-static first: node tools/run.mjs tools/containers/setup.ts --tests',
    );
  await mkdir(join(root, 'bin'), { recursive: true });
  await mkdir(join(root, 'tmp'));
  await chmod(join(root, 'tmp'), 0o1777);
  await copyFile(busybox, join(root, 'bin/busybox'));
  const { stdout } = await runCommand(busybox, ['--list']);
  for (const applet of stdout.split('\n').filter((name) => name !== '' && name !== 'busybox')) {
    await symlink('busybox', join(root, 'bin', applet));
  }
}

async function findCached(name: string): Promise<BuiltImage | undefined> {
  const layer = join(cacheDir, name, 'layer.tar');
  const found = await readFile(join(cacheDir, name, 'image.json'), 'utf8').catch(() => undefined);
  const isThere = await access(layer).then(
    () => true,
    () => false,
  );
  return found !== undefined && isThere
    ? { ...(JSON.parse(found) as BuiltImage), layer }
    : undefined;
}

async function cached(
  name: string,
  log: (line: string) => void,
  build: (folder: string) => Promise<string>,
): Promise<BuiltImage> {
  const found = await findCached(name);
  if (found) return found;
  await mkdir(cacheDir, { recursive: true });
  const folder = await mkdtemp(join(cacheDir, `${name}-`));
  try {
    const began = performance.now();
    const tar = await build(folder);
    const image = { digest: await sha256(tar), size: (await stat(tar)).size };
    const done = join(folder, 'done');
    await mkdir(done);
    await rename(tar, join(done, 'layer.tar'));
    await writeFile(join(done, 'image.json'), JSON.stringify(image));
    // Of two concurrent builds, the second uses the first one's image, because its own has another
    // digest.
    await rename(done, join(cacheDir, name)).catch(() => undefined);
    log(
      `Built ${name}: ${(image.size / 1e6).toFixed(0)} MB in ${((performance.now() - began) / 1000).toFixed(1)} s.`,
    );
    const kept = await findCached(name);
    if (!kept) throw new Error(`The image ${name} was built, but is not in ${cacheDir}.`);
    return kept;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function sha256(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk);
  return `sha256:${hash.digest('hex')}`;
}

async function mustRun(command: string, args: string[]): Promise<void> {
  const { code, stderr } = await runCommand(command, args);
  if (code !== 0) throw new Error(`${command} failed: ${stderr.slice(-2000)}`);
}

const searchPath = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** @param target `repository` like `team/tool`. @returns the image's digest in the registry. */
export async function pushImage(
  image: BuiltImage,
  target: { server: string; repository: string; tag: string },
  credentials: Credentials,
  settings: { Env?: string[]; Entrypoint?: string[]; Volumes?: Record<string, object> } = {},
): Promise<string> {
  const base = `http://${target.server}/v2/${target.repository}`;
  const { username, password } = credentials;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const config = Buffer.from(
    JSON.stringify({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config: { Env: [searchPath], ...settings },
      rootfs: { type: 'layers', diff_ids: [image.digest] },
    }),
  );
  const configDigest = digestOf(config);
  await pushBlob(base, authorization, configDigest, config.length, () => config);
  await pushBlob(base, authorization, image.digest, image.size, () =>
    createReadStream(image.layer),
  );

  const type = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = JSON.stringify({
    schemaVersion: 2,
    mediaType: type,
    config: {
      mediaType: 'application/vnd.oci.image.config.v1+json',
      digest: configDigest,
      size: config.length,
    },
    layers: [
      {
        mediaType: 'application/vnd.oci.image.layer.v1.tar',
        digest: image.digest,
        size: image.size,
      },
    ],
  });
  const put = await fetch(`${base}/manifests/${target.tag}`, {
    method: 'PUT',
    headers: { authorization, 'content-type': type },
    body: manifest,
  });
  if (put.status !== 201) throw new Error(`Push refused: ${put.status} ${await put.text()}`);
  return digestOf(Buffer.from(manifest));
}

const digestOf = (bytes: Buffer) => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

async function pushBlob(
  base: string,
  authorization: string,
  digest: string,
  size: number,
  body: () => Buffer | NodeJS.ReadableStream,
): Promise<void> {
  const headers = { authorization };
  const there = await fetch(`${base}/blobs/${digest}`, { method: 'HEAD', headers });
  if (there.status === 200) return;
  const begun = await fetch(`${base}/blobs/uploads/`, { method: 'POST', headers });
  const location = begun.headers.get('location');
  if (begun.status !== 202 || !location) {
    throw new Error(`Push refused: ${begun.status} ${await begun.text()}`);
  }
  const url = new URL(location, base);
  url.searchParams.set('digest', digest);
  const put = await fetch(url, {
    method: 'PUT',
    headers: {
      ...headers,
      'content-length': String(size),
      'content-type': 'application/octet-stream',
    },
    body: body() as unknown as ReadableStream,
    duplex: 'half',
  });
  if (put.status !== 201) throw new Error(`Push refused: ${put.status} ${await put.text()}`);
}

if (import.meta.main) {
  await busyboxImage(console.log);
  await documentsImage(console.log);
  console.log(`Ready in ${cacheDir}`);
}
