/** The SDK's client, and what the errors of its requests mean. */
import { S3Client } from '@aws-sdk/client-s3';
import type { S3Location } from '../../config.ts';
import { DomainError } from '../../errors.ts';
import { storageFull } from '../room.ts';

/**
 * Sockets for each process. Each download holds one for as long as its client takes, so there are
 * more than the SDK's 50.
 */
const mostSockets = 500;

export const openClient = ({ bucket, endpoint, region }: S3Location): S3Client =>
  new S3Client({
    region,
    ...(endpoint && { endpoint }),
    forcePathStyle: endpoint !== undefined || bucket.includes('.'),
    // Servers of other makers do not know the newer checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5000,
      socketTimeout: 60_000,
      httpAgent: { maxSockets: mostSockets },
      httpsAgent: { maxSockets: mostSockets },
    },
  });

/** The code of an answer of S3, or the name of an error before there was an answer. */
export const nameOf = (error: unknown): string => (error as Error).name;

export function fail(error: unknown): never {
  throw problemOf(error);
}

export const whenAbsent =
  (...names: string[]) =>
  (error: unknown): undefined => {
    if (!names.includes(nameOf(error))) throw problemOf(error);
  };

const fullNames = ['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull'];

/** What an error of a request means for whoever needed it. */
export function problemOf(error: unknown): unknown {
  if (nameOf(error) === 'AbortError') return error;
  const status = statusOf(error);
  if (status === 507 || fullNames.includes(nameOf(error))) return storageFull(error);
  if (status === undefined || status >= 500 || status === 429) return unreachable(error);
  return error;
}

/** The status of the answer; undefined if there was none. */
const statusOf = (error: unknown) =>
  (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;

export const unreachable = (cause: unknown) =>
  new DomainError('unavailable', 'The storage of files does not answer. Try again later.', {
    code: 'storage_away',
    retry_after_seconds: 5,
    cause,
  });
