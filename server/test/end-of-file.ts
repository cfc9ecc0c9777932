/**
 * Work at the end of each test file, also where one process runs several, one after another
 * (tools/test-queue.ts). A hook of a helper alone would belong to the first of these files.
 */
import { after } from 'node:test';

const works: (() => unknown)[] = [];
const lastWorks: (() => unknown)[] = [];

/** At the top level of a helper: registers what ends all that the helper has opened until then. */
export function atEndOfFile(work: () => unknown): void {
  works.push(work);
}

/** The same for what all files of a process share. */
export function atEndOfProcess(work: () => unknown): void {
  lastWorks.push(work);
}

/** Ends what the helpers have opened for a file. */
export async function endOfFile(): Promise<void> {
  await Promise.all(works.map((work) => work()));
}

/** Ends what is left at the end of the process. */
export async function endOfProcess(): Promise<void> {
  await endOfFile();
  await Promise.all(lastWorks.map((work) => work()));
  // A process kept alive by something would silently block the whole test run.
  setTimeout(() => {
    console.error(`This file does not end: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  }, 60_000).unref();
}

let hasOwnEnd = false;

/** Most files take seconds; the longest, kill-storm, is told to take an hour at most. */
const most_ms = 90 * 60_000;

let stuck: NodeJS.Timeout | undefined;

/** Says that a file begins in this process, which itself says when the file and the process end. */
export function beginFile(file: string): void {
  hasOwnEnd = true;
  // The runner bounds each test, but not what a file waits for between them.
  clearTimeout(stuck);
  stuck = setTimeout(() => {
    console.error(`${file} does not end: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  }, most_ms).unref();
}

// For a file that `node --test` was given itself.
after(() => (hasOwnEnd ? undefined : endOfProcess()));
