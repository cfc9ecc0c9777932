import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import { entriesOf, found, madeWords, takenWords, usualSearches, wantedOf } from './entries.ts';
import { endingOf, mediaWord } from './media-words.ts';

let ids = 0;
const definition = (name: string, over: Partial<NodeDefinition> = {}) =>
  ({
    id: ++ids,
    name,
    version: '1',
    title: name,
    description: '',
    category: '',
    scope: 'platform',
    inputs: [],
    outputs: [],
    ...over,
  }) as unknown as NodeDefinition;

const takes = (...media_types: string[]) => ({
  inputs: [{ name: 'in', cardinality: 'one' as const, media_types }],
});

const rows = [
  definition('count'),
  definition('resize', takes('image/*')),
  definition('resize', { ...takes('image/*'), version: '2' }),
  definition('split', {
    ...takes('application/pdf'),
    outputs: [{ name: 'page', glob: '*.png', cardinality: 'many' }],
  }),
  definition('hash', takes()),
  definition('ours', { scope: 'tenant', title: 'Ours', description: 'Stamps letters' }),
];
const namesOf = (q: string) => found(entriesOf(rows), q).map(({ newest }) => newest.name);

describe('the catalogue', () => {
  it('has an entry for each name, with its versions, the own ones first', () => {
    const entries = entriesOf(rows);
    expect(entries.map(({ newest }) => newest.name)).toEqual([
      'ours',
      'count',
      'hash',
      'resize',
      'split',
    ]);
    expect(entries[3]?.versions.map(({ version }) => version)).toEqual(['2', '1']);
  });

  it('is searched by words of name, title and description', () => {
    expect(namesOf('stamp')).toEqual(['ours']);
    expect(namesOf('')).toHaveLength(5);
  });

  it('is searched by types: what takes any file comes last', () => {
    expect(wantedOf('split takes pdf and makes png')).toEqual({
      words: ['split'],
      takes: ['pdf'],
      makes: ['png'],
    });
    expect(namesOf('takes pdf')).toEqual(['split', 'hash']);
    expect(namesOf('takes png')).toEqual(['resize', 'hash']);
    expect(namesOf('takes images makes png')).toEqual([]);
    expect(namesOf('makes png')).toEqual(['split']);
    expect(namesOf('takes')).toHaveLength(5);
  });

  it('offers searches by the types that are taken', () => {
    expect(usualSearches(entriesOf(rows))).toEqual(['takes images', 'takes PDF']);
  });

  it('says in words what is taken and made', () => {
    const [, count, hash, resize, split] = entriesOf(rows).map(({ newest }) => newest);
    expect([count, hash, resize, split].map((one) => one && takenWords(one))).toEqual([
      'nothing',
      'any file',
      'images',
      'PDF',
    ]);
    expect([count, split].map((one) => one && madeWords(one))).toEqual(['nothing', 'PNG']);
  });
});

it('calls types as people do', () => {
  expect(
    ['text/csv', 'image/*', 'text/plain', 'application/x-thing', '*/*'].map(mediaWord),
  ).toEqual(['CSV', 'images', 'text', 'THING', 'any file']);
  expect(['application/pdf', 'image/*', 'application/x-thing', undefined].map(endingOf)).toEqual([
    'pdf',
    'jpg',
    'bin',
    'bin',
  ]);
});
