/** A registry as the source of one image: its calls reject in words for the user of the image. */
import type { IncomingMessage } from 'node:http';
import type { ImageReference } from '@cogworks/graph/image-reference';
import type { RefusedAddress } from '@cogworks/sdk/outbound/guarded-call';
import { AttemptError } from '../attempt-error.ts';
import type { RegistryAllow } from './registry-allow.ts';
import { CredentialsRefused, registryCalls, troubleOf } from './registry-calls.ts';
import { notPulled, refused, unreachable } from './registry-errors.ts';
import type { RegistryAuth } from './types.ts';

export type Registry = {
  /** `manifests/1.2` or `blobs/sha256:…` of the image. Any status; redirects are followed. */
  open(method: 'GET' | 'HEAD', path: string, accept?: string): Promise<IncomingMessage>;
};

/** Its calls reject with AttemptError. */
export function openRegistry(
  image: ImageReference,
  auth: RegistryAuth | null,
  allow: RegistryAllow,
  signal: AbortSignal,
): Registry {
  const scope = `repository:${image.repository}:pull`;
  const calls = registryCalls(image.registry, auth, allow, signal, { scope });
  return {
    open: async (method, path, accept) => {
      try {
        return await calls.ask(method, `${image.repository}/${path}`, accept);
      } catch (error) {
        signal.throwIfAborted();
        throw problemOf(image, auth, error);
      }
    },
  };
}

function problemOf(image: ImageReference, auth: RegistryAuth | null, error: unknown): Error {
  if (error instanceof AttemptError) return error;
  if (error instanceof CredentialsRefused) return refused(image, auth);
  switch (troubleOf(error)) {
    case 'refused_address':
      return notPulled(
        image,
        `${(error as RefusedAddress).host} is not called by this worker: it is an internal address, or not https. Its operator can allow it by REGISTRY_ALLOW.`,
      );
    case 'no_answer':
      return unreachable(image, 'does not answer');
    case 'no_such_host':
      return unreachable(image, 'is not known: there is no host of that name');
    case 'not_in_time':
      return unreachable(image, 'did not answer in time');
    case 'untrusted_certificate':
    case 'no_tls':
      return unreachable(image, 'shows a certificate that the worker does not trust');
    default:
      return notPulled(image, `${(error as Error).message.slice(0, 200)}.`);
  }
}
