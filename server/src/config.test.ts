import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, readConfig } from './config.ts';
import { bucketUrl } from './storage/s3/location.ts';

const locationOf = (STORAGE_URL: string, more = {}) => readConfig({ STORAGE_URL, ...more }).s3;

describe('STORAGE_URL', () => {
  it('names a bucket of AWS, or of another endpoint, with a prefix or without', () => {
    assert.deepEqual(locationOf('s3://files?region=eu-west-1'), {
      bucket: 'files',
      prefix: '',
      endpoint: undefined,
      region: 'eu-west-1',
    });
    assert.deepEqual(locationOf('s3://files/a/b/?endpoint=http://127.0.0.1:9000/'), {
      bucket: 'files',
      prefix: 'a/b/',
      endpoint: 'http://127.0.0.1:9000',
      region: 'us-east-1',
    });
    assert.equal(locationOf('s3://files', { AWS_REGION: 'eu-north-1' })?.region, 'eu-north-1');
    assert.equal(locationOf(''), undefined);
  });

  it('is refused with what is wrong, and never repeated: it may hold credentials', () => {
    for (const [url, words] of [
      ['https://files', /must be like s3:/],
      ['files', /must be like s3:/],
      ['s3://key:secret@files?region=x', /credentials belong in AWS_ACCESS_KEY_ID/],
      ['s3://Bad_Name?region=x', /name of a bucket/],
      ['s3://files/a%20b?region=x', /prefix may have letters/],
      ['s3://files', /needs the region/],
      ['s3://files?region=x&secret=y', /no parameter secret/],
      ['s3://files?endpoint=storage.example.com', /endpoint must be like https:/],
      ['s3://files?endpoint=https://a.example.com/path', /endpoint must be like https:/],
    ] as const) {
      assert.throws(
        () => locationOf(url),
        (error) =>
          error instanceof ConfigError &&
          words.test(error.message) &&
          !/key:|=y/.test(error.message),
        url,
      );
    }
  });
});

describe('the URL of a bucket', () => {
  it('has the bucket in its host where the certificate covers it, else in its path', () => {
    const at = (bucket: string, endpoint?: string) =>
      bucketUrl({ bucket, prefix: '', endpoint, region: 'eu-west-1' });
    assert.equal(at('files'), 'https://files.s3.eu-west-1.amazonaws.com');
    assert.equal(at('files.of.us'), 'https://s3.eu-west-1.amazonaws.com/files.of.us');
    assert.equal(at('files', 'http://127.0.0.1:9000'), 'http://127.0.0.1:9000/files');
  });
});
