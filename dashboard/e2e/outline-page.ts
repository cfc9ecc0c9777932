/** The builder as a list of steps, and what tests do in it. */
import type { TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { setPassword } from '../../server/src/resources/auth/passwords.ts';
import { type Client, cast } from '../../server/test/cast.ts';
import { openPage, signInto } from './browser.ts';
import { type BuilderWorld, builderDefinitions } from './builder-world.ts';

const password = 'correct horse battery';

/** Definitions, and a page of an administrator at a path. */
export async function outlinePage(
  t: TestContext,
  pathOf: (admin: Client, world: BuilderWorld) => unknown,
) {
  const { server, admin } = await cast();
  await setPassword(server.services.db, admin.user.id, password, { must_change: false });
  const world = await builderDefinitions(admin);
  const path = await pathOf(admin, world);
  const page = await openPage(t, {
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
  });
  await signInto(page, server, { email: admin.user.email, password }, String(path));
  return { page, admin, world, server };
}

export const step = (page: Page, key: string) => page.locator(`[data-step="${key}"]`);

/** Waits until the step has the focus. */
export const focused = (page: Page, key: string) =>
  page.locator(`[data-step="${key}"]:focus`).waitFor();

export const presses = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
