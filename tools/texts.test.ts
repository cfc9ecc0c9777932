/** Texts of the dashboard are marked, so that it can be translated (docs/translations.md). */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { textsInPlace } from './texts/macros.ts';
import { unmarkedTexts } from './texts/unmarked.ts';

const sources = join(import.meta.dirname, '../dashboard/src');
const files = readdirSync(sources, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
  .toSorted();

/** Look like texts, and are the same in all languages. */
const names = [
  /^\w+(Screen|Page|Frame)$/, // components that are loaded on first use
  /^(Enter|Escape|Tab|Backspace|Delete|Space|Arrow\w+|Page(Up|Down)|Shift|Control|Meta)(\+\w+)*$/, // keys
  /^(Cogworks|Bearer|Accept|Content-Type|Etc\/\w+)$/,
  /\[\w+=|^main h1$|^input, textarea(, select|$)/, // selectors
  /^(new folder|sign out)$/, // actions of the palette, as values
  /^keep both$/, // an answer to the SDK
  /around (it|this component)\.$/, // faults of the code itself
  /^(curl|Node|GitHub|Stripe|Slack|Standard Webhooks|Markdown|Word|Excel|PowerPoint)$/, // products and standards
  /^(SECRET=|const \{ createHmac|npm run worker|podman (login|push))/, // what a terminal is given
  /^(file\.size_bytes|vars\.language) /, // examples of conditions
  /^(params\.json|\*\.txt|sha256:…|registry\.example\/tools:1\.2)$/, // names of files and images
  /^(Tried steps|Of “Try it” in the list of steps: .*)$/, // what the service keeps under one key
  /^ui-monospace,|^'?Inter Variable/, // typefaces
];

it('texts of the dashboard are marked', () => {
  const unmarked = files.flatMap((file) =>
    unmarkedTexts(readFileSync(join(sources, file), 'utf8'), file)
      .filter(({ text }) => !names.some((name) => name.test(text)))
      .map(({ line, text }) => `${file}:${line} ${text}`),
  );
  assert.deepEqual(unmarked, []);
});

describe('an unmarked text is found', () => {
  const found = (code: string) => unmarkedTexts(code, 'example.tsx').map(({ text }) => text);

  it('between tags, and in attributes that readers see', () => {
    assert.deepEqual(found('<p title="today">New file</p>'), ['today', 'New file']);
    assert.deepEqual(found('<p title={late ? "late" : t`On time`} />'), ['late']);
    assert.deepEqual(found('<Select label="Plan" />'), ['Plan']);
    assert.deepEqual(found('<p>{isTest && "test"}</p>'), ['test']);
    assert.deepEqual(found('const label = isOne ? "A file" : t`Files`;'), ['A file']);
  });

  it('in properties and results that are sentences', () => {
    assert.deepEqual(found('const words = { done: "Done", size: "large" };'), ['Done']);
    assert.deepEqual(found('return `$' + '{count} files`;'), ['0 files']);
  });

  it('in an element within a marked text', () => {
    assert.deepEqual(found('<Trans>See <a title="more">here</a></Trans>'), ['more']);
  });

  it('but not where it is marked, or the same in all languages', () => {
    assert.deepEqual(found('<Trans>See <a href="x">here</a></Trans>'), []);
    assert.deepEqual(found('plural(count, { one: "# file", other: "# files" })'), []);
    assert.deepEqual(found('<Plural value={count} one="# file" other="# files" />'), []);
    assert.deepEqual(found('<p className="Big one"><code>npm start</code></p>'), []);
  });
});

describe('a marked text', () => {
  const built = async (code: string, translations = new Map<string, string>()) => {
    const result = await textsInPlace(
      `import { t } from '@lingui/core/macro'; import { Trans } from '@lingui/react/macro'; ${code}`,
      'example.tsx',
      translations,
    );
    return result.code.replace(/\s+/g, ' ');
  };

  it('without values is a plain string in the build', async () => {
    assert.match(await built('export const a = t`Not there`'), /const a = "Not there" ;/);
    assert.match(await built('export const a = <Trans>Not there</Trans>'), /<>\{"Not there"\}/);
  });

  it('is in the language of the build', async () => {
    const german = new Map([['Bch2sz', 'Nicht da']]);
    assert.match(await built('export const a = t`Not there`', german), /const a = "Nicht da" ;/);
  });

  it('with values is parsed when it is built', async () => {
    const code = await built('export const a = (name: string) => t`Copy $' + '{name}`');
    assert.match(code, /message: \["Copy ",\["name"\]\]/);
  });

  it('has braces only in quotes', async () => {
    await assert.rejects(() => built('export const a = t`Use {{vars.x}}`'), /single quotes/);
    assert.match(await built("export const a = t`Use '{{vars.x}}'`"), /"Use \{\{vars\.x\}\}"/);
  });
});
