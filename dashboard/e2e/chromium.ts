/** The machine's Chromium, and how it is started. */
import { existsSync } from 'node:fs';

/** Undefined if there is none. */
export const executable = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

/** How a browser is started. */
export const browserOptions = () => ({
  executablePath: executable ?? '',
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
});
