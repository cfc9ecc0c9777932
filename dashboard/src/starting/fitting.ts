/** Which workflows and templates take which of some files, by their media types. Pure. */
import { mediaTypeMatches } from '@cogworks/graph/assign';
import { plural, t } from '@lingui/core/macro';

export type GivenFile = { id: number; mime_type?: string | undefined };
type Input = { name: string; media_types?: string[] | undefined };

export type Offer = {
  kind: 'workflow' | 'template';
  id: number;
  name: string;
  description: string;
  inputs: readonly Input[];
};
export type Fitting = Offer & { fits: number[] };

const unknownType = 'application/octet-stream';

const takes = (inputs: readonly Input[], { mime_type = unknownType }: GivenFile): boolean =>
  inputs.some(
    ({ media_types = [] }) =>
      media_types.length === 0 || media_types.some((one) => mediaTypeMatches(one, mime_type)),
  );

/** Takes files of any type, so that it says little that it takes these. */
const isForAny = ({ inputs }: Offer): boolean =>
  inputs.some(({ media_types = [] }) => media_types.length === 0);

/**
 * Those that take some of the files: what is made for their types first, then what takes most of
 * them, and the organization's own before templates.
 */
export function fittingOf(offers: readonly Offer[], files: readonly GivenFile[]): Fitting[] {
  return offers
    .map((offer) => ({
      ...offer,
      fits: files.filter((file) => takes(offer.inputs, file)).map(({ id }) => id),
    }))
    .filter(({ fits }) => fits.length > 0)
    .toSorted(
      (a, b) =>
        Number(isForAny(a)) - Number(isForAny(b)) ||
        b.fits.length - a.fits.length ||
        Number(a.kind === 'template') - Number(b.kind === 'template') ||
        a.name.localeCompare(b.name),
    );
}

const kinds: readonly [RegExp, (count: number) => string][] = [
  [/^application\/pdf/, (count) => plural(count, { one: '# PDF', other: '# PDFs' })],
  [/^image\//, (count) => plural(count, { one: '# picture', other: '# pictures' })],
  [/^text\//, (count) => plural(count, { one: '# text', other: '# texts' })],
  [/^audio\//, (count) => plural(count, { one: '# recording', other: '# recordings' })],
  [/^video\//, (count) => plural(count, { one: '# video', other: '# videos' })],
];
const others = (count: number) => plural(count, { one: '# other', other: '# others' });

/** `14 files: 12 PDFs and 2 pictures`. */
export function filesInWords(files: readonly GivenFile[]): string {
  const byKind = Map.groupBy(
    files,
    ({ mime_type = unknownType }) =>
      kinds.find(([pattern]) => pattern.test(mime_type))?.[1] ?? others,
  );
  const words = [...byKind]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([inWords, some]) => inWords(some.length));
  const last = words.pop() ?? '';
  const first = words.join(', ');
  const all = words.length === 0 ? last : t`${first} and ${last}`;
  return plural(files.length, { one: `# file: ${all}`, other: `# files: ${all}` });
}
