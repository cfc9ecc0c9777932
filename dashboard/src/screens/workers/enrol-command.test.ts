import { expect, it } from 'vitest';
import { enrolCommand, isOnlyHere } from './enrol-command.ts';

const given = { url: 'https://cogworks.example', token: 'wet_1', name: '' };

it('is a command for a shell, whatever the worker is called', () => {
  expect(enrolCommand(given)).toBe(
    'COGWORKS_URL=https://cogworks.example \\\nCOGWORKS_ENROLLMENT_TOKEN=wet_1 \\\nnpm run worker',
  );
  expect(enrolCommand({ ...given, name: 'gpu-1' })).toMatch(/-- --name gpu-1$/);
  expect(enrolCommand({ ...given, name: "Ann's; rm" })).toMatch(/--name 'Ann'\\''s; rm'$/);
});

it('knows addresses that lead elsewhere on other machines', () => {
  expect(['localhost', '127.0.0.1', '[::1]', 'cogworks.example'].map(isOnlyHere)).toEqual([
    ...[true, true, true, false],
  ]);
});
