import { edge, graph, mapped, node } from '@cogworks/graph/examples';
import { parseExpression } from '@cogworks/graph/expression-syntax';
import { describe, expect, it } from 'vitest';
import {
  conditionWords,
  edgeMeaning,
  errorMeaning,
  mapMeaning,
  ratioMeaning,
  shortTitleOf,
  timesWords,
  titlesOf,
  whenMeaning,
} from './step-words.ts';

const titles = titlesOf(graph([node('split', 1, { title: 'Split' }), node('zip', 1)]));
const scans = { kind: 'input', input: 'scans' } as const;

const parsed = (text: string) => {
  const result = parseExpression(text);
  if ('fault' in result) throw new Error(result.fault.message);
  return result.ast;
};

describe('the title of a step', () => {
  const given = graph([node('crop', 1, { title: 'Crop all pages' }), node('zip', 1)]);

  it('is its key without one, and cut where there is no room', () => {
    expect(shortTitleOf(given, 'crop', 14)).toBe('Crop all pages');
    expect(shortTitleOf(given, 'crop', 10)).toBe('Crop all…');
    expect(shortTitleOf(given, 'zip', 10)).toBe('zip');
  });
});

describe('the words of a step', () => {
  it('say how often it runs, and over which files', () => {
    expect(mapMeaning(mapped('a', 1), scans, titles, [])).toBe(
      'Works on each file by itself, and waits for no other file.',
    );
    expect(timesWords(mapped('a', 1), scans, titles)).toBe('runs once for each file of scans');
    const pages = { kind: 'output', node: 'split', port: 'pages' } as const;
    expect(timesWords(mapped('a', 1), pages, titles)).toContain('each file of pages of Split');
    expect(mapMeaning(mapped('a', 1), null, titles, [])).toContain('nothing brings it files');
    expect(mapMeaning(node('a', 1), null, titles, [])).toContain('all its files together');
    expect(mapMeaning(node('a', 1), null, titles, [edge('split.pages > a.in')])).toBe(
      'Runs once, and waits until pages of Split is there for all files.',
    );
  });

  it('say what an edge brings', () => {
    const one = edge('split.pages > zip.in');
    expect(edgeMeaning(one, 'gather')).toBe('What it gave for every file, together.');
    expect(edgeMeaning(one, 'same_lane')).toContain('for the same file');
    expect(edgeMeaning(edge('scans > zip.in'), 'lane_source')).toBe('One file each time.');
    expect(edgeMeaning(edge('scans > zip.in'), 'plain')).toBe('All its files.');
  });

  it('say when a step that gathers goes on', () => {
    const source = mapped('split', 1, { title: 'Split' });
    const of = (ratio?: number, more = {}) =>
      ratioMeaning(
        edge('split.pages > zip.in', ratio === undefined ? {} : { min_success_ratio: ratio }),
        { ...source, ...more },
      );
    expect(of()).toBe('Goes on only if Split worked for every file.');
    expect(of(0.95)).toBe(
      'Goes on if 95 % of the files came through Split, and works on with those.',
    );
    expect(of(0)).toContain('even with nothing');
    expect(of(undefined, { on_error: 'continue' })).toContain('at least one file');
  });

  it('say what a failure means', () => {
    expect(errorMeaning(mapped('a', 1))).toContain('for this file');
    expect(errorMeaning(node('a', 1, { on_error: 'continue' }))).toContain('go on without it');
  });
});

describe('the words of a condition', () => {
  it('are those of a sentence', () => {
    expect(conditionWords(parsed('vars.width >= 8000 && file.name != "a"'))).toBe(
      `width is at least 8,000 and the file's name is not "a"`,
    );
    expect(conditionWords(parsed('vars.a == 1 && (vars.b == 2 || vars.c == 3)'))).toBe(
      'a is 1 and (b is 2 or c is 3)',
    );
    expect(conditionWords(parsed('file.media_type in ["image/png", "image/gif"]'))).toBe(
      `the file's type is one of "image/png", "image/gif"`,
    );
    expect(conditionWords(parsed('startsWith(file.stem, "scan") && !vars.fast'))).toBe(
      `the file's name without its ending begins with "scan" and fast is off`,
    );
  });

  it('say what happens otherwise', () => {
    expect(whenMeaning(parsed('vars.fast'), false)).toBe(
      'Runs only if fast is on. Otherwise it is left out, with the steps that need it; that is no failure.',
    );
  });
});
