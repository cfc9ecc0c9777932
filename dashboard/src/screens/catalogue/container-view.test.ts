import { expect, it } from 'vitest';
import { containerView, quoted, type Shown } from './container-view.ts';

const definition: Shown = {
  command: ['convert', '{{inputs.page.path}}', '-resize', '{{params.width}}', '{{file.stem}}.jpg'],
  env: { LANG: 'C.UTF-8' },
  inputs: [{ name: 'page', cardinality: 'one', media_types: ['application/pdf'] }],
  outputs: [{ name: 'small', glob: '*.jpg', cardinality: 'many' }],
  params: {
    type: 'object',
    properties: {
      width: { type: 'integer', default: 280 },
      'api-key': { type: 'string', 'x-secret': true },
    },
  },
};

it('shows files, params, environment and the command as they will be', () => {
  expect(containerView(definition)).toEqual({
    inputs: [{ path: '/data/inputs/page/example.pdf', about: 'read-only' }],
    outputs: [{ path: '/data/outputs/*.jpg', about: 'all kept as small' }],
    params: JSON.stringify({ width: 280, 'api-key': '‹the secret›' }, null, 2),
    env: [
      ['LANG', 'C.UTF-8'],
      ['PARAM_WIDTH', '280'],
      ['PARAM_API_KEY', '‹the secret›'],
    ],
    command: ['convert', '/data/inputs/page/example.pdf', '-resize', '280', 'example.jpg'].map(
      (text) => ({ text }),
    ),
  });
});

it('gives an input of many files as its folder, and names variables of the workflow', () => {
  const view = containerView({
    ...definition,
    inputs: [{ name: 'pages', cardinality: 'many', media_types: ['image/*'] }],
    command: ['join', '{{inputs.pages.path}}', '{{vars.title}}'],
  });
  expect(view.inputs.map(({ path }) => path)).toEqual([
    '/data/inputs/pages/first.jpg',
    '/data/inputs/pages/second.jpg',
  ]);
  expect(view.command.map(({ text }) => text)).toEqual(['join', '/data/inputs/pages', '‹title›']);
});

it('keeps an argument that refers to nothing, and says so', () => {
  const [, wrong] = containerView({
    ...definition,
    command: ['cat', '{{inputs.pag.path}}'],
  }).command;
  expect(wrong).toEqual({
    text: '{{inputs.pag.path}}',
    fault: '{{inputs.pag.path}} refers to nothing.',
  });
});

it('quotes what a shell would split', () => {
  expect(['a', "it's here", '', '/data/x.pdf'].map(quoted)).toEqual([
    'a',
    `'it'\\''s here'`,
    "''",
    '/data/x.pdf',
  ]);
});
