import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { RichText } from './rich-text.tsx';

const html = (text: string) => renderToStaticMarkup(createElement(RichText, { text }));

describe('the text of a note', () => {
  it('shows bold, italic, lists and links', () => {
    expect(html('**a** *b*\n\n- c\n- [d](https://e.test/)')).toMatch(
      /<p><strong>a<\/strong> <em>b<\/em><\/p><ul><li>c<\/li><li><a href="https:\/\/e\.test\/"/,
    );
  });

  it('shows HTML as text, and links of other kinds as they were written', () => {
    const shown = html('<img src=x onerror=alert(1)> [x](javascript:alert(1))');
    expect(shown).not.toMatch(/<img|<a /);
    expect(shown).toContain('&lt;img');
    expect(shown).toContain('[x](javascript:alert(1))');
  });
});
