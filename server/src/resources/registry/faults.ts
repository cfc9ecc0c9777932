/** What can go wrong in the registry, with the codes of the distribution specification. */
import { DomainError, shortenedText } from '../../errors.ts';

const unknown = (code: string, message: string) => new DomainError('not_found', message, { code });
const wrong = (code: string, message: string) => new DomainError('invalid', message, { code });

/** The same for a name of another tenant as for one that nobody has. */
export const unknownName = (namespace: string) =>
  unknown(
    'NAME_UNKNOWN',
    `There is no such repository. Names of your organization begin with ${namespace}/.`,
  );
export const unknownBlob = () => unknown('BLOB_UNKNOWN', 'There is no such blob.');
export const unknownUpload = () =>
  unknown('BLOB_UPLOAD_UNKNOWN', 'There is no such upload, or it has ended.');
export const manifestUnknown = (why = 'There is no such manifest.') =>
  unknown('MANIFEST_UNKNOWN', why);
export const manifestBlobUnknown = (digests: readonly string[]) =>
  unknown(
    'MANIFEST_BLOB_UNKNOWN',
    `The manifest refers to what is not stored: ${shortenedText(digests.join(', '))}.`,
  );

export const nameInvalid = (message: string) => wrong('NAME_INVALID', message);
export const digestInvalid = (text: string) =>
  wrong('DIGEST_INVALID', `Digests here are sha256:<64 hexadecimal digits>, not "${shown(text)}".`);
export const digestDiffers = (found: string) =>
  wrong('DIGEST_INVALID', `The bytes have the digest ${found}.`);
export const manifestInvalid = (message: string) => wrong('MANIFEST_INVALID', message);
export const uploadInvalid = (message: string) => wrong('BLOB_UPLOAD_INVALID', message);

export const outOfOrder = (size_bytes: number) =>
  new DomainError(
    'range_not_satisfiable',
    `The upload has ${size_bytes} bytes: the next ones begin there.`,
    { code: 'BLOB_UPLOAD_INVALID' },
  );
export const tooLarge = (most_bytes: number) =>
  new DomainError('too_large', `At most ${most_bytes} bytes are accepted.`, {
    code: 'SIZE_INVALID',
  });
export const notAllowed = (message: string) =>
  new DomainError('forbidden', message, { code: 'DENIED' });
export const notSupported = (message: string) =>
  new DomainError('method_not_allowed', message, { code: 'UNSUPPORTED' });
export const notAMediaType = () =>
  new DomainError('unsupported_media_type', 'Content-Type is no media type.', {
    code: 'UNSUPPORTED',
  });

const shown = (text: string) => shortenedText(text).slice(0, 200);
