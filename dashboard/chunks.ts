/**
 * Which modules come in one file of the build. By itself the bundler makes a file for each set of
 * screens and dialogs that use a module: 299, of which the files page asked for 83 before it showed,
 * six at a time. Now these are some twenty, for a few more kilobytes.
 *
 * Files must not import each other in a circle, or one runs before what it needs is there
 * (e2e/chunks.test.ts). Each group holds modules that the same parts of the dashboard use, and what a
 * module imports is used by at least these: so it is in the same file, or in one of more parts.
 */
import { basename } from 'node:path';
import type { Rolldown } from 'vite';

type CodeSplittingGroup = Rolldown.CodeSplittingGroup;
type ChunkingContext = Rolldown.ChunkingContext;

/** So many parts of the dashboard use what each page gets, whether its own screen does or not. */
const widelyShared = 10;
/** What more parts have in common is left to the bundler. */
const mostNamed = 4;

export const chunks: CodeSplittingGroup[] = [
  // Together with the style sheets of libraries, which have to come before ours.
  { name: 'index', tags: ['$initial'], priority: 4 },
  { name: 'common', minShareCount: widelyShared, priority: 3 },
  { name: 'icons', test: /icons-react/, minShareCount: 2, priority: 2 },
  // Left alone, one that a single screen uses would be in the file of the screen, which imports ours.
  { name: 'libraries', test: /node_modules/, entriesAware: true, priority: 1 },
  {
    name: chunkOf,
    debugName: 'screens',
    priority: 1,
    includeDependenciesRecursively: false,
  },
];

/** The bundler lists all parts that use a chunk; the first word and the hash are enough. */
export const chunkFileNames = ({ name }: Rolldown.PreRenderedChunk): string =>
  `assets/${name.split('~')[0]}-[hash].js`;

/** What needs a module of ours before it shows, as a name; null for other modules. */
function chunkOf(id: string, modules: ChunkingContext): string | null {
  if (!/\/(dashboard|graph|sdk)\/src\//.test(id)) return null;
  // In a file with others, Rolldown 1.2 forgets to define what importing a screen answers.
  if (modules.getModuleInfo(id)?.importers.length === 0) return null;
  const parts = partsOf(id, modules);
  return parts.length > 0 && parts.length <= mostNamed ? parts.join('-and-') : null;
}

/** Screens, and what else the shell loads when it is needed. */
function partsOf(id: string, modules: ChunkingContext): string[] {
  const parts: string[] = [];
  const users = new Set([id]);
  // A set is also walked through what is added meanwhile.
  for (const user of users) {
    const { importers = [], dynamicImporters = [] } = modules.getModuleInfo(user) ?? {};
    if (dynamicImporters.some((one) => one.includes('/src/app/')))
      parts.push(basename(user, '.tsx'));
    for (const importer of importers) users.add(importer);
  }
  return parts.sort();
}
