/** What a manifest says, by the image specification of OCI and that of Docker. Pure. */
import { createHash } from 'node:crypto';
import { DomainError } from '../../errors.ts';
import { refusalOf } from '../../json-text.ts';
import { isStorable } from '../../storable.ts';
import { isDigest } from './addresses.ts';
import { manifestInvalid } from './faults.ts';

export type Descriptor = { digest: string; size: number };

export type ManifestShape = {
  digest: string;
  media_type: string;
  artifact_type: string | undefined;
  subject: string | undefined;
  annotations: Record<string, string> | undefined;
  /** Its config and its layers. */
  blobs: readonly Descriptor[];
  /** Other manifests, for example one for each platform. */
  manifests: readonly Descriptor[];
  /** Layers that may be elsewhere, and are kept if they are here. */
  foreign: readonly Descriptor[];
};

const imageTypes = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];
const indexTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];

/** Far more than the layers that any engine can stack. */
const mostReferences = 1000;

/** They are shown in lists of fifty, which clients read up to 4 MiB. */
const mostAnnotationBytes = 64 * 1024;

/** @throws DomainError `MANIFEST_INVALID` */
export function shapeOf(bytes: Buffer, contentType: string | undefined): ManifestShape {
  const manifest = parsed(bytes);
  const media_type = mediaTypeOf(manifest, contentType);
  const isIndex = indexTypes.includes(media_type);
  if (manifest.schemaVersion !== 2) throw manifestInvalid('schemaVersion must be 2.');
  if (isIndex && !Array.isArray(manifest.manifests))
    throw manifestInvalid('An index must have a list "manifests".');
  if (!isIndex && !Array.isArray(manifest.layers))
    throw manifestInvalid('The manifest of an image must have a list "layers".');
  const subject =
    manifest.subject === undefined ? undefined : descriptorOf('subject', manifest.subject);
  const config = isIndex ? undefined : descriptorOf('config', manifest.config);
  const layers = isIndex ? [] : listOf('layers', manifest.layers);
  const manifests = isIndex ? listOf('manifests', manifest.manifests) : [];
  if (layers.length + manifests.length > mostReferences) {
    throw manifestInvalid(`A manifest refers to at most ${mostReferences} others.`);
  }
  return {
    digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
    media_type,
    artifact_type: textOf(manifest.artifactType) ?? config?.mediaType,
    subject: subject?.digest,
    annotations: annotationsOf(manifest.annotations),
    blobs: config ? [config, ...layers.filter((one) => !mayBeElsewhere(one))] : [],
    manifests,
    foreign: layers.filter(mayBeElsewhere),
  };
}

function parsed(bytes: Buffer): Record<string, unknown> {
  const refusal = refusalOf(bytes);
  if (refusal) throw manifestInvalid(refusal.message);
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (isRecord(value)) return value;
  } catch (error) {
    if (error instanceof DomainError) throw error;
  }
  throw manifestInvalid('A manifest is a JSON object.');
}

function mediaTypeOf({ mediaType }: Record<string, unknown>, contentType: string | undefined) {
  const header = contentType?.split(';')[0]?.trim();
  if (mediaType !== undefined && header !== undefined && mediaType !== header) {
    throw manifestInvalid('Content-Type must be the mediaType of the manifest.');
  }
  const type = mediaType ?? header;
  const known = [...imageTypes, ...indexTypes];
  if (typeof type === 'string' && known.includes(type)) return type;
  throw manifestInvalid(`The type of a manifest must be one of: ${known.join(', ')}.`);
}

type Given = Descriptor & { mediaType: string };

function listOf(name: string, value: unknown): Given[] {
  return (value as unknown[]).map((one, at) => descriptorOf(`${name}[${at}]`, one));
}

function descriptorOf(name: string, value: unknown): Given {
  if (!isRecord(value)) throw manifestInvalid(`${name} must be a descriptor.`);
  const { digest, size, mediaType } = value;
  if (typeof digest !== 'string' || !isDigest(digest))
    throw manifestInvalid(`${name}.digest must be sha256:<64 hexadecimal digits>.`);
  if (typeof size !== 'number' || !Number.isSafeInteger(size) || size < 0)
    throw manifestInvalid(`${name}.size must be a number of bytes.`);
  if (!isText(mediaType) || mediaType.length > 255)
    throw manifestInvalid(`${name}.mediaType must be a media type${ofText}.`);
  return { digest, size, mediaType };
}

/** Layers that may not be distributed: clients can be told to push them all the same. */
const mayBeElsewhere = ({ mediaType }: Given) => /nondistributable|\.foreign\./.test(mediaType);

function annotationsOf(value: unknown): Record<string, string> | undefined {
  if (value === undefined || value === null) return undefined;
  if (Buffer.byteLength(JSON.stringify(value)) > mostAnnotationBytes)
    throw manifestInvalid(`annotations have at most ${mostAnnotationBytes} bytes.`);
  if (isRecord(value) && Object.entries(value).flat().every(isText))
    return value as Record<string, string>;
  throw manifestInvalid(`annotations must be an object of strings${ofText}.`);
}

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (isText(value) && value.length <= 255) return value;
  throw manifestInvalid(`artifactType must be a media type${ofText}.`);
}

const isText = (value: unknown): value is string => typeof value === 'string' && isStorable(value);
const ofText = ', without U+0000 and halves of surrogate pairs';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
