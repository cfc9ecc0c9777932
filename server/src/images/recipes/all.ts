/** The images of this release, and their names. Pure. */
import { ownRegistry, parseImage } from '@cogworks/graph/image-reference';
import { platformImageIn, platformRepository } from '../../resources/registry/addresses.ts';
import { documents } from './documents.ts';
import { type Recipe, tagOf } from './recipe.ts';
import { text } from './text.ts';

export type ImageName = { name: string; tag: string };

export const recipes = { text, documents } satisfies Record<string, Recipe>;
export type RecipeName = keyof typeof recipes;

export const allImages: readonly ImageName[] = Object.values(recipes).map(nameOf);

export function nameOf(recipe: Recipe): ImageName {
  return { name: recipe.name, tag: tagOf(recipe) };
}

/** As node definitions name it. */
export const imageOf = (recipe: Recipe): string =>
  `${ownRegistry}/${platformRepository(recipe.name)}:${tagOf(recipe)}`;

/** The image of the platform that a definition names; undefined for any other. */
export function platformImageOf(image: string): ImageName | undefined {
  const reference = parseImage(image);
  if (reference?.registry !== ownRegistry || reference.digest !== null) return undefined;
  const name = platformImageIn(reference.repository);
  return name === undefined ? undefined : { name, tag: reference.selector };
}

/** How to make it; undefined if this release cannot. */
export const recipeOf = ({ name, tag }: ImageName): Recipe | undefined =>
  Object.values(recipes).find((recipe) => recipe.name === name && tagOf(recipe) === tag);
