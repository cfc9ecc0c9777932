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

describe('SMTP_URL', () => {
  const mailOf = (env: Record<string, string>) => readConfig(env).mail;

  it('goes together with who the mails are from', () => {
    const url = 'smtps://user:secret@mail.example.com';
    for (const from of ['no-reply@example.com', 'Cogworks <no-reply@example.com>']) {
      assert.deepEqual(mailOf({ SMTP_URL: url, MAIL_FROM: from }), { url, from });
    }
    assert.equal(mailOf({}), undefined);
    for (const from of ['', 'Cogworks', 'a@b, c@d', 'x\r\nBcc: <a@b>']) {
      assert.throws(() => mailOf({ SMTP_URL: url, MAIL_FROM: from }), /MAIL_FROM must be set/);
    }
    assert.throws(
      () => mailOf({ SMTP_URL: 'mail.example.com', MAIL_FROM: 'a@b' }),
      /SMTP_URL must be a URL that starts with smtp:/,
    );
  });
});

describe('traces', () => {
  it('go where the variables of OpenTelemetry say', () => {
    const base = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318/' };
    const usual = { url: 'http://collector:4318/v1/traces', ratio: 1, service: 'cogworks' };
    assert.equal(readConfig({}).traces, undefined);
    assert.deepEqual(readConfig(base).traces, usual);
    assert.deepEqual(
      readConfig({
        ...base,
        OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://x.test/of/traces',
        OTEL_TRACES_SAMPLER_ARG: '0.1',
        OTEL_SERVICE_NAME: 'files',
      }).traces,
      { url: 'https://x.test/of/traces', ratio: 0.1, service: 'files' },
    );
    for (const share of ['2', '-1', 'half'])
      assert.throws(
        () => readConfig({ ...base, OTEL_TRACES_SAMPLER_ARG: share }),
        /OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/,
      );
  });
});
