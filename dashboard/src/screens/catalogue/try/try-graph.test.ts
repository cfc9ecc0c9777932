import { assignFiles } from '@cogworks/graph/assign';
import { inputLimits } from '@cogworks/graph/lanes';
import type { Definition } from '@cogworks/graph/types';
import { validateGraph } from '@cogworks/graph/validate';
import { expect, it } from 'vitest';
import { filesOf, graphOf, variablesOf, whatIsMissing } from './try-graph.ts';

const definition = {
  id: 7,
  name: 'stamp',
  version: '1',
  title: 'Stamp pages',
  command: ['stamp', '{{inputs.logo.path}}', '{{vars.text}}', '{{params.size}}', '{{vars.text}}'],
  inputs: [
    { name: 'pages', cardinality: 'many', media_types: ['application/pdf'] },
    { name: 'logo', cardinality: 'one', media_types: ['image/png'] },
    { name: 'font', cardinality: 'optional' },
  ] as const satisfies Definition['inputs'],
  outputs: [{ name: 'out', glob: '*', cardinality: 'many' as const }],
  params: { type: 'object', properties: { size: { type: 'integer' } } },
};
const tried = { ...definition, inputs: definition.inputs.map((port) => ({ ...port, title: '' })) };
// biome-ignore lint/suspicious/noExplicitAny: without what it does not look at
const asTried = tried as any;

it('is a valid workflow in which each file reaches the port that it was chosen for', () => {
  const files = { pages: [1, 2], logo: [3] };
  // biome-ignore lint/suspicious/noExplicitAny: the API's own type of the same
  const graph = graphOf(asTried, files, { size: 3 }) as any;
  const definitions = new Map<number, Definition>([[7, definition]]);
  expect(validateGraph(graph, definitions).errors).toEqual([]);

  const ids = filesOf(asTried, files);
  const { assigned, faults } = assignFiles(
    graph.inputs,
    ids.map(() => ({ media_type: 'text/plain' })),
    inputLimits(graph, definitions),
  );
  expect(faults).toEqual([]);
  expect([...assigned].map(([name, places]) => [name, places.map((place) => ids[place])])).toEqual([
    ['logo', [3]],
    ['pages', [1, 2]],
  ]);
});

it('asks for the variables that the command names, and for files that must be there', () => {
  expect(variablesOf(definition as never)).toEqual(['text']);
  expect(whatIsMissing(asTried, { pages: [1] })).toBe('Choose a file for logo first.');
  expect(whatIsMissing(asTried, { logo: [1] })).toBeUndefined();
});
