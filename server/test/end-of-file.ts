/**
 * Work at the end of each test file, also where one process runs several, one after another
 * (tools/test-groups.ts). A hook of a helper alone would belong to the first of these files.
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

let isGroup = false;

/** A group takes one minute, on a busy machine five. */
const most_ms = 20 * 60_000;

/** Says that more files follow the first, and that the process says itself when it ends. */
export function severalFiles(): void {
  isGroup = true;
  // The runner bounds each test, but not what a file waits for between them.
  setTimeout(() => {
    console.error(`These files do not end: ${process.getActiveResourcesInfo().join(', ')}`);
    process.exit(1);
  }, most_ms).unref();
}

// Comes before the second file of a group is loaded.
after(() => (isGroup ? undefined : endOfProcess()));
