/** A client of the registry, as podman is one: HTTP Basic with an API key, blobs, manifests. */
import { createHash } from 'node:crypto';
import type { Client } from './cast.ts';
import { basic, newKey } from './dav.ts';
import type { TestServer } from './server.ts';

export const ociManifest = 'application/vnd.oci.image.manifest.v1+json';
export const ociIndex = 'application/vnd.oci.image.index.v1+json';
export const ociConfig = 'application/vnd.oci.image.config.v1+json';

export type RegistryAnswer = {
  status: number;
  headers: Headers;
  text: string;
  /** The code of the error. */
  code: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: what the server really sent
  json: any;
};
type Init = {
  body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
  headers?: Record<string, string>;
};

/** @param path below `/v2/`, or the location of an answer. */
export type Registry = (method: string, path: string, init?: Init) => Promise<RegistryAnswer>;

export const registryClient = async (server: TestServer, user: Client): Promise<Registry> =>
  registryClientWith(server, basic(await newKey(user)));

export const registryClientWith =
  (server: Pick<TestServer, 'url'>, authorization?: string): Registry =>
  async (method, path, { body, headers } = {}) => {
    const response = await fetch(server.url + (path.startsWith('/') ? path : `/v2/${path}`), {
      method,
      headers: { ...(authorization && { authorization }), ...headers },
      ...(body === undefined ? {} : { body }),
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    const json = isJson && text !== '' ? JSON.parse(text) : undefined;
    const code = json?.errors?.[0]?.code;
    return { status: response.status, headers: response.headers, text, json, code };
  };

export const digestOf = (bytes: string | Uint8Array) =>
  `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Pushes a blob as podman does. @returns its digest, and the last answer. */
export async function pushBlob(
  registry: Registry,
  name: string,
  bytes: string | Uint8Array<ArrayBuffer>,
) {
  const digest = digestOf(bytes);
  const begun = await registry('POST', `${name}/blobs/uploads/`);
  const sent = await registry('PATCH', String(begun.headers.get('location')), { body: bytes });
  const url = `${sent.headers.get('location')}?digest=${digest}`;
  return { digest, ...(await registry('PUT', url)) };
}

export type Pushed = { digest: string; text: string; layer: string; config: string };

export const manifestOf = (layers: readonly string[], config: string, over: object = {}) =>
  JSON.stringify({
    schemaVersion: 2,
    mediaType: ociManifest,
    config: { mediaType: ociConfig, digest: digestOf(config), size: config.length },
    layers: layers.map((layer) => ({
      mediaType: 'application/vnd.oci.image.layer.v1.tar',
      digest: digestOf(layer),
      size: layer.length,
    })),
    ...over,
  });

export const putManifest = (
  registry: Registry,
  name: string,
  reference: string,
  text: string,
  type = ociManifest,
) =>
  registry('PUT', `${name}/manifests/${reference}`, {
    body: text,
    headers: { 'content-type': type },
  });

/** Pushes an image of one layer. @param layer its bytes. */
export async function pushImage(
  registry: Registry,
  name: string,
  tag: string,
  layer = 'a layer',
): Promise<Pushed> {
  const config = `{"of":${JSON.stringify(layer)}}`;
  await pushBlob(registry, name, layer);
  await pushBlob(registry, name, config);
  const text = manifestOf([layer], config);
  const { status, text: why } = await putManifest(registry, name, tag, text);
  if (status !== 201) throw new Error(`The push was refused: ${status} ${why}`);
  return { digest: digestOf(text), text, layer, config };
}
