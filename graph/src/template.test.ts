import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  parameterEnvironmentName,
  referencesIn,
  renderCommand,
  renderParams,
  renderText,
  stemOf,
  TemplateError,
} from './template.ts';

const scope = {
  params: { width: 800, flag: true, list: [1, 'a'], 'a.b': 'dotted', none: null },
  vars: { name: 'Ada', sneaky: '{{vars.name}} $& $1' },
  inputs: { image: '/data/inputs/image/my cat.png', missing: null },
  file: { name: 'my cat.png', stem: 'my cat' },
  run: { id: 42 },
};

describe('a template', () => {
  const cases: [text: string, rendered: string][] = [
    ['plain', 'plain'],
    ['{{params.width}}x{{ vars.name }}', '800xAda'],
    ['{{inputs.image.path}}', '/data/inputs/image/my cat.png'],
    ['{{file.stem}}-{{run.id}}', 'my cat-42'],
    ['{{params.flag}}', 'true'],
    ['{{params.list}}', '[1,"a"]'],
    ['{{params.a.b}}', 'dotted'],
    ['[{{params.none}}{{inputs.missing.path}}]', '[]'],
    ['{{vars.sneaky}}', '{{vars.name}} $& $1'],
    ['{{', '{{'],
    ['{ {vars.name} }', '{ {vars.name} }'],
    ['{{{vars.name}}}', '{Ada}'],
  ];
  for (const [text, rendered] of cases) {
    it(`${text} becomes ${rendered}`, () => assert.equal(renderText(text, scope), rendered));
  }

  for (const text of [
    '{{vars.unknown}}',
    '{{params.constructor}}',
    '{{vars.__proto__}}',
    '{{inputs.image}}',
    '{{inputs..path}}',
    '{{inputs.other.path}}',
    '{{file.path}}',
    '{{run.secret}}',
    '{{env.HOME}}',
    '{{vars}}',
    '{{}}',
    '{{vars.}}',
  ]) {
    it(`${text} refers to nothing`, () => {
      const isTemplateError = (error: unknown) =>
        error instanceof TemplateError && `{{${error.reference}}}` === text;
      assert.throws(() => renderText(text, scope), isTemplateError);
    });
  }

  it('has no file in a node without one', () => {
    assert.throws(() => renderText('{{file.name}}', { run: { id: 1 } }), TemplateError);
  });

  it('keeps every entry of a command one entry', () => {
    const command = [
      'convert',
      '{{inputs.image.path}}',
      '-o',
      '/data/outputs/{{file.stem}}.webp',
      '',
    ];
    const rendered = [
      'convert',
      '/data/inputs/image/my cat.png',
      '-o',
      '/data/outputs/my cat.webp',
      '',
    ];
    assert.deepEqual(renderCommand(command, scope), rendered);
  });

  it('tells all its references, also those without meaning', () => {
    const found = referencesIn('{{vars.a}} {{ inputs.b.path }} {{nonsense}} {{run.id}}');
    assert.deepEqual(found, [
      { text: 'vars.a', kind: 'vars', name: 'a' },
      { text: 'inputs.b.path', kind: 'inputs', name: 'b' },
      { text: 'nonsense', kind: 'unknown', name: '' },
      { text: 'run.id', kind: 'run', name: 'id' },
    ]);
  });

  // Takes a moment in linear time; in quadratic time it would exceed the test's limit.
  it('is read though it is millions of braces', () => {
    assert.deepEqual(referencesIn('{{'.repeat(5_000_000)), []);
  });
});

describe('the params of a node', () => {
  const vars = { width: 800, name: 'Ada', on: false, unset: null };
  const cases: [title: string, params: object, rendered: object][] = [
    [
      'keep the type of a lone reference',
      { a: '{{vars.width}}', b: '{{ vars.on }}' },
      { a: 800, b: false },
    ],
    [
      'are texts around a reference',
      { a: '{{vars.width}}px', b: ' {{vars.on}}' },
      { a: '800px', b: ' false' },
    ],
    [
      'are rendered at every depth',
      { a: { b: ['{{vars.name}}', 1, null] } },
      { a: { b: ['Ada', 1, null] } },
    ],
    ['leave out what has no value', { a: '{{vars.unset}}', b: ['{{vars.unset}}', 1] }, { b: [1] }],
    ['are an empty text within a text', { a: '<{{vars.unset}}>' }, { a: '<>' }],
    ['leave secrets alone', { key: { $secret: 'KEY' } }, { key: { $secret: 'KEY' } }],
    ['leave keys alone', { '{{vars.name}}': 1 }, { '{{vars.name}}': 1 }],
  ];
  for (const [title, params, rendered] of cases) {
    it(title, () => assert.deepEqual(renderParams({ ...params }, vars), rendered));
  }

  it('refer to variables alone', () => {
    assert.throws(() => renderParams({ a: '{{file.name}}' }, vars), TemplateError);
    assert.throws(() => renderParams({ a: 'x{{vars.no}}' }, vars), TemplateError);
  });

  it('cannot reach the prototype of an object', () => {
    const params = JSON.parse('{"__proto__":{"polluted":"{{vars.name}}"}}');
    const rendered = renderParams(params, vars);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
    assert.ok(Object.hasOwn(rendered, '__proto__'));
  });
});

describe('names made of names', () => {
  const stems: Record<string, string> = {
    'cat.png': 'cat',
    'cat.tar.gz': 'cat.tar',
    '.bashrc': '.bashrc',
    '.env.local': '.env',
    README: 'README',
    'odd.': 'odd',
    '': '',
  };
  for (const [name, stem] of Object.entries(stems)) {
    it(`the stem of "${name}" is "${stem}"`, () => assert.equal(stemOf(name), stem));
  }

  it('an environment name has capitals, digits and _', () => {
    assert.equal(parameterEnvironmentName('max-width.2 ö'), 'PARAM_MAX_WIDTH_2__');
    assert.equal(parameterEnvironmentName('width'), 'PARAM_WIDTH');
  });
});
