/** Dropping files onto the page, and a slow network for their uploads. */
import type { Page } from 'playwright-core';
import { whenLeft } from './browser.ts';

export type Dropped = { name: string; type: string; size_bytes: number };

/** Drops files onto the page, as a user does. Their bytes are those of `patternOf`. */
export async function drop(page: Page, files: Dropped[]) {
  const transfer = await dragged(page, files);
  const zone = page.getByRole('region', { name: /^Contents of/ });
  await zone.dispatchEvent('dragenter', { dataTransfer: transfer });
  await page.getByText(/Drop to upload to/).waitFor();
  await zone.dispatchEvent('drop', { dataTransfer: transfer });
}

/** Drops files and folders of the disk onto the page; only so are there real folders. */
export async function dropFromDisk(page: Page, paths: string[]) {
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: paths, dragOperationsMask: 1 };
  const at = { x: 700, y: 400 };
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    devtools.send('Input.dispatchDragEvent', { type, ...at, data });
  await drag('dragEnter');
  await drag('dragOver');
  await page.getByText(/Drop to upload to/).waitFor();
  await drag('drop');
  await devtools.detach();
}

/** What a drag of these files carries. */
export function dragged(page: Page, files: Dropped[]) {
  // A string, because it runs in the page, whose types this test does not have.
  return page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    for (const { name, type, size_bytes } of ${JSON.stringify(files)}) {
      const bytes = new Uint8Array(size_bytes);
      for (let index = 0; index < size_bytes; index += 1) bytes[index] = (index * 31) % 251;
      data.items.add(new File([bytes], name, { type }));
    }
    return data;
  })()`);
}

/** What is in a dropped file. */
export const patternOf = (size_bytes: number) => Buffer.alloc(size_bytes, period);

const period = Uint8Array.from({ length: 251 }, (_, index) => (index * 31) % 251);

/** For a progress that can be seen. @returns lifts the limit. */
export async function limitUpload(page: Page, bytes_per_second: number) {
  const network = await page.context().newCDPSession(page);
  const limit = (uploadThroughput: number) =>
    network.send('Network.emulateNetworkConditions', {
      ...{ offline: false, latency: 0, downloadThroughput: -1, uploadThroughput },
    });
  await limit(bytes_per_second);
  whenLeft(page, () => network.detach());
  return () => limit(-1);
}
