import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { presigner } from './presign.ts';

/** https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html, its example. */
const example = {
  credentials: {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  url: new URL('https://examplebucket.s3.amazonaws.com/test.txt'),
  now: new Date('2013-05-24T00:00:00Z'),
};

describe('a presigned URL of S3', () => {
  it('has the signature of the published example, also with a remembered key', () => {
    const sign = presigner('us-east-1');
    const { credentials, url, now } = example;
    for (let time = 0; time < 2; time++) {
      const href = sign({ method: 'GET', url, query: {}, headers: {} }, credentials, 86_400, now);
      assert.equal(
        new URL(href).searchParams.get('X-Amz-Signature'),
        'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
      );
    }
  });

  it('names the headers it needs, the token of temporary credentials, and at most seven days', () => {
    const { credentials, url, now } = example;
    const href = presigner('eu-central-1')(
      { method: 'PUT', url, query: { a: "x'y z" }, headers: { 'content-length': '5' } },
      { ...credentials, sessionToken: 'token/+=' },
      10_000_000,
      now,
    );
    const query = new URL(href).searchParams;
    assert.equal(query.get('a'), "x'y z");
    assert.equal(query.get('X-Amz-SignedHeaders'), 'content-length;host');
    assert.equal(query.get('X-Amz-Security-Token'), 'token/+=');
    assert.equal(query.get('X-Amz-Expires'), '604800');
    assert.match(
      query.get('X-Amz-Credential') ?? '',
      /\/20130524\/eu-central-1\/s3\/aws4_request$/,
    );
  });

  it('changes its signature with everything that is signed', () => {
    const { credentials, url, now } = example;
    const sign = presigner('us-east-1');
    const base = { method: 'PUT' as const, url, query: { partNumber: '1' }, headers: {} };
    const hrefs = [
      sign(base, credentials, 60, now),
      sign({ ...base, method: 'GET' }, credentials, 60, now),
      sign({ ...base, query: { partNumber: '2' } }, credentials, 60, now),
      sign({ ...base, headers: { 'content-length': '5' } }, credentials, 60, now),
      sign({ ...base, headers: { 'content-length': '6' } }, credentials, 60, now),
      sign(base, { ...credentials, secretAccessKey: 'other' }, 60, now),
      sign(base, credentials, 61, now),
      sign(base, credentials, 60, new Date('2013-05-25T00:00:00Z')),
    ];
    const signatures = hrefs.map((href) => new URL(href).searchParams.get('X-Amz-Signature'));
    assert.equal(new Set(signatures).size, hrefs.length);
  });
});
