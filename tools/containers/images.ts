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
import { endianness } from 'node:os';
import { join } from 'node:path';
import { architectureOf } from '@cogworks/graph/architectures';
import type { Layer } from '../../server/src/images/building/layer.ts';
import { makeInto, readMade } from '../../server/src/images/building/made.ts';
import {
  allImages,
  type ImageName,
  nameOf,
  recipeOf,
  recipes,
} from '../../server/src/images/recipes/all.ts';
import { runCommand } from '../../worker/src/containers/command.ts';
import { findProgram } from '../../worker/src/containers/probe.ts';
import type { Credentials } from './registry.ts';

export type BuiltImage = {
  /** The only layer, a tar; compressed if it has a `diff_id`, which is the digest of its contents. */
  layer: string;
  digest: string;
  size: number;
  diff_id?: string;
};

/** Images are kept here between builds; `.cache/` is not part of the repository. */
export const imagesDir = join(import.meta.dirname, '../../.cache/images');

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

/**
 * The image `documents` of the shipped templates: poppler, imagemagick, qpdf and tesseract on the
 * shell of busybox. Made once, in half a minute.
 */
export async function documentsImage(
  log: (line: string) => void = () => undefined,
): Promise<BuiltImage> {
  const made = await templateImages(log, [nameOf(recipes.documents)]);
  const [layer] = made;
  if (!layer) throw new Error('The image was made, but is not there.');
  const { path, size_bytes: size, ...digests } = layer;
  return { layer: path, size, ...digests };
}

/** Images of the shipped templates, in a folder that `npm run images -- --from` takes. */
export async function templateImages(
  log: (line: string) => void = () => undefined,
  images: readonly ImageName[] = allImages,
): Promise<Layer[]> {
  const layers: Layer[] = [];
  for (const image of images) {
    const recipe = recipeOf(image);
    if (!recipe) throw new Error(`There is no recipe for ${image.name}.`);
    const say = (step: string) => log(`${image.name}: ${step} …`);
    await makeInto(imagesDir, image, recipe, { signal: new AbortController().signal, say });
    const layer = await readMade(imagesDir, image);
    if (layer) layers.push(layer);
  }
  return layers;
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
  const layer = join(imagesDir, name, 'layer.tar');
  const found = await readFile(join(imagesDir, name, 'image.json'), 'utf8').catch(() => undefined);
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
  await mkdir(imagesDir, { recursive: true });
  const folder = await mkdtemp(join(imagesDir, `${name}-`));
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
    await rename(done, join(imagesDir, name)).catch(() => undefined);
    log(
      `Built ${name}: ${(image.size / 1e6).toFixed(0)} MB in ${((performance.now() - began) / 1000).toFixed(1)} s.`,
    );
    const kept = await findCached(name);
    if (!kept) throw new Error(`The image ${name} was built, but is not in ${imagesDir}.`);
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
  architecture = architectureOf(process.arch, endianness()),
): Promise<string> {
  const base = `http://${target.server}/v2/${target.repository}`;
  const { username, password } = credentials;
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const config = Buffer.from(
    JSON.stringify({
      architecture,
      os: 'linux',
      config: { Env: [searchPath], ...settings },
      rootfs: { type: 'layers', diff_ids: [image.diff_id ?? image.digest] },
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
        mediaType: `application/vnd.oci.image.layer.v1.tar${image.diff_id ? '+gzip' : ''}`,
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
  await templateImages(console.log);
  console.log(`Ready in ${imagesDir}`);
}
