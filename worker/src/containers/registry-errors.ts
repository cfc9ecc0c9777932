/** Registry errors, worded for the user who started the run. */
import type { ImageReference } from '@cogworks/graph/image-reference';
import { AttemptError } from '../attempt-error.ts';
import type { RegistryAuth } from './types.ts';

const imageName = ({ repository, selector, digest }: ImageReference) =>
  `${repository}${digest ? '@' : ':'}${selector}`;

export const refused = (image: ImageReference, auth: RegistryAuth | null) =>
  new AttemptError(
    'registry_auth',
    auth
      ? `The registry ${image.registry} refused the stored credentials for the image ${imageName(image)}.`
      : `The registry ${image.registry} asks for credentials for the image ${imageName(image)}, and none are stored.`,
  );

/** @param why in words of the registry. */
export const notFound = (image: ImageReference, why = '') =>
  new AttemptError(
    'image_not_found',
    `The registry ${image.registry} has no image ${imageName(image)}. ${why}`.trimEnd(),
  );

/** `why` completes the sentence that begins with the registry: "does not answer". */
export const unreachable = (image: ImageReference, why: string) =>
  new AttemptError('image_pull', `The registry at ${image.registry} ${why}.`);

export const notPulled = (image: ImageReference, why: string) =>
  new AttemptError(
    'image_pull',
    `The image ${imageName(image)} could not be pulled from the registry at ${image.registry}: ${why}`,
  );
