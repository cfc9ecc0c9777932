import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { atTerminal, program } from './program.ts';

describe('cogworks share', () => {
  it('gives access to an address, says who has it and why, and ends it', async () => {
    const { editor, cli } = await atTerminal();
    const { email } = editor.user;
    await cli.run('mkdir', '-p', '/Clients/Acme');

    const given = await cli.run(
      ...['share', '/Clients', email.toUpperCase(), '--level', 'editor'],
      ...['--expires', '7d', '--allow', 'delete', '--deny', 'upload'],
    );
    assert.equal(given.code, 0, given.said);
    assert.match(given.answer, /editor, may not upload, may delete, until \d{4}-/);
    const listed = await cli.run('share', '/Clients/Acme');
    assert.match(listed.answer, new RegExp(`${email} {2}editor, .* through Clients\n`));
    assert.match((await cli.run('share', '/Clients/Acme', email)).answer, /^Editor.*“Clients”/);
    const elsewhere = await cli.run('share', '/Clients/Acme', email, '--revoke');
    assert.match(elsewhere.said, /was given nothing on “Acme” itself/);
    assert.equal((await cli.run('share', '/Clients', email, '--revoke')).code, 0);
    assert.equal((await editor.get('/cogs/search?q=Clients')).body.length, 0);
  });

  it('ends access by the clock of the server', async () => {
    const { editor, cli } = await atTerminal();
    await cli.run('mkdir', '/Clients');
    // The clock of this machine is two days late.
    const late = 'const now = Date.now; Date.now = () => now() - 2 * 86400000;';
    const typed = await program({
      ...cli.env,
      NODE_OPTIONS: `--import="data:text/javascript,${encodeURIComponent(late)}"`,
    });
    const options = ['--level', 'viewer', '--expires', '1h'];

    const given = await typed.json('share', '/Clients', editor.user.email, ...options);

    const left_ms = Date.parse(given.expires_at) - Date.now();
    assert.ok(left_ms > 3_500_000 && left_ms <= 3_600_000, `${left_ms}`);
  });

  it('refuses what cannot be meant, and an address of nobody', async () => {
    const { stranger, cli } = await atTerminal();
    await cli.run('mkdir', '/Clients');
    const { email } = stranger.user;

    const nobody = await cli.run('share', '/Clients', email, '--level', 'viewer');
    assert.equal(nobody.code, 1);
    assert.match(nobody.said, /Nobody here has the address/);
    for (const options of [
      ['--level', 'king'],
      ['--allow', 'delete'],
      ['--level', 'viewer', '--revoke'],
      ['--level', 'viewer', '--allow', 'fly'],
    ]) {
      assert.equal((await cli.run('share', '/Clients', email, ...options)).code, 2);
    }
  });
});
