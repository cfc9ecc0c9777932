import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { documentsImage, pushImage } from '../../../tools/containers/images.ts';
import { makePortFolders, makeWorkspace } from '../../src/containers/inputs.ts';
import { type Fixture, never, openFixture, readOutput, script } from './fixture.ts';

const opened = await openFixture();
const skip = typeof opened === 'string' && opened;
const fixture = opened as Fixture;

/** One page with the words "Hello Cogworks". */
const pdf = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 50>>stream
BT /F 24 Tf 20 40 Td (Hello Cogworks) Tj ET       
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
`;

describe('the image of document tools, in a hardened container', { skip, concurrency: 2 }, () => {
  let image_id = '';

  before(async () => {
    const image = await documentsImage((line) => console.error(line));
    const { server, credentials } = fixture.registry;
    await pushImage(image, { server, repository: 'tools/documents', tag: '1' }, credentials);
    const pulled = await fixture.engine.pull(`${server}/tools/documents:1`, credentials, never);
    image_id = pulled.image_id;
  });
  after(() => fixture.close());

  it('reads the text of a pdf and draws its pages', async () => {
    const workspace = await makeWorkspace(join(fixture.folder, 'pdf'));
    await makePortFolders(workspace, ['document']);
    await writeFile(join(workspace.inputs, 'document', 'in.pdf'), pdf, { mode: 0o644 });

    const { result, stdout, stderr } = await fixture.run(
      script(
        'in=/data/inputs/document/in.pdf; cd /data/outputs; pdftotext $in text.txt && pdftoppm -r 72 -png $in page && identify -format "%wx%h" page-1.png',
      ),
      { workspace, image_id },
    );

    assert.equal(result.exit_code, 0, stderr);
    assert.match(await readOutput(workspace, 'text.txt'), /Hello Cogworks/);
    assert.equal(stdout, '300x100');
  });

  it('makes and changes pictures', async () => {
    const { result, stdout, stderr } = await fixture.run(
      script(
        'cd /data/outputs; convert -size 80x60 gradient:red-blue big.png && mogrify -resize 40x -strip big.png && identify -format "%m %wx%h" big.png',
      ),
      { image_id },
    );

    assert.equal(result.exit_code, 0, stderr);
    assert.equal(stdout, 'PNG 40x30');
  });

  it('has a shell, wc and awk', async () => {
    const { stdout } = await fixture.run(
      script(
        'printf "a 1\\nb 2\\n" | awk \'{ sum += $2 } END { print sum }\'; printf "x y z" | wc -w',
      ),
      { image_id },
    );

    assert.deepEqual(stdout.trim().split(/\s+/), ['3', '3']);
  });
});
