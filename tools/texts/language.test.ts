/**
 * Another language is a catalogue, nothing else: here a made-up one, in which each English text is
 * in brackets.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { MantineProvider } from '@mantine/core';
import { type ComponentType, createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { type Plugin, runnerImport } from 'vite';
import { catalogues, extractTexts, translationsIn } from './catalogue.ts';
import { texts } from './plugin.ts';

const english = await readFile(join(catalogues, 'en.po'), 'utf8');
const bracketed = english.replaceAll(/^msgid (".+")\nmsgstr ""$/gm, (_entry, quoted: string) => {
  const message: string = JSON.parse(quoted);
  const translation = message === 'en-GB' ? 'de-DE' : `⟦${message}⟧`;
  return `msgid ${quoted}\nmsgstr ${JSON.stringify(translation)}`;
});
const translations = await translationsIn(bracketed);

const withoutStyles: Plugin = {
  name: 'without-styles',
  enforce: 'pre',
  resolveId: (id) => (id.endsWith('.css') ? '\0styles' : undefined),
  load: (id) => (id === '\0styles' ? 'export default {};' : undefined),
};

/** A module of the dashboard as a build in that language has it. */
async function inBrackets<Module>(path: string): Promise<Module> {
  const file = join(import.meta.dirname, '../../dashboard/src', path);
  const { module } = await runnerImport<Module>(file, {
    configFile: false,
    root: join(import.meta.dirname, '../../dashboard'),
    logLevel: 'error',
    oxc: { jsx: { runtime: 'automatic' } },
    plugins: [texts(translations), withoutStyles],
  });
  return module;
}

const shown = (component: ComponentType<never>, props: object) =>
  renderToStaticMarkup(
    createElement(MantineProvider, null, createElement(component as ComponentType<object>, props)),
  );

describe('a build with another catalogue', () => {
  it('has a translation of every text', async () => {
    assert.deepEqual(
      [...translations.keys()].toSorted(),
      Object.keys(await extractTexts()).toSorted(),
    );
  });

  it('is told the words and the context of a text that has one', () => {
    assert.doesNotMatch(english, /explicit-id/);
    assert.match(english, /^msgctxt "verb"\nmsgid "Run"$/m);
  });

  it('shows its texts, and what is in them', async () => {
    const { Problem } = await inBrackets<{ Problem: ComponentType<never> }>('ui/await.tsx');
    const error = { status: 503, message: 'As the service says.', error_id: 'e-<0>7</0>' };
    const html = shown(Problem, { error, onRetry: () => {} });
    assert.match(html, /⟦That did not work⟧/);
    assert.match(html, /⟦Try again⟧/);
    assert.match(html, /⟦For support: <code>e-&lt;0&gt;7&lt;\/0&gt;<\/code>⟧/);
    // The service has words of its own.
    assert.match(html, />As the service says\.</);
  });

  it('counts by the rules of that language', async () => {
    const { SelectionBar } = await inBrackets<{ SelectionBar: ComponentType<never> }>(
      'ui/rows/selection-bar.tsx',
    );
    const chosen = Array.from({ length: 1200 }, (_, id) => ({ id }));
    const selection = { chosen, rest: undefined, onSelect: () => {} };
    const html = shown(SelectionBar, { selection, actions: [], usual: [], main: 'open' });
    assert.match(html, /⟦1\.200 items⟧/);
  });

  it('writes numbers and dates as that language does', async () => {
    const { formatCount, formatMinute } = await inBrackets<{
      formatCount: (count: number) => string;
      formatMinute: (iso: string) => string;
    }>('ui/format.ts');
    assert.equal(formatCount(1200), '1.200');
    assert.match(formatMinute('2026-06-15T12:00:00Z'), /^15\.06\.2026/);
  });
});
