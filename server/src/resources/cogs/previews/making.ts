/**
 * Makes a preview of stored bytes and keeps it as an object of its own, or remembers why there is
 * none. A claim in the database keeps two processes from making the same.
 */
import { randomUUID } from 'node:crypto';
import { Readable, Writable } from 'node:stream';
import { DomainError } from '../../../errors.ts';
import { markDead, pendingSeconds, recordUncounted } from '../../../objects/objects.ts';
import { type Kind, kindBytes, kindOf } from '../../../previews/kinds.ts';
import type { Outcome } from '../../../previews/maker.ts';
import type { Makers } from '../../../previews/makers.ts';
import type { Services } from '../../../services.ts';
import type { Storage } from '../../../storage/storage.ts';
import { type Claim, claimPreview, dropClaim, type Source, setFailed, setMade } from './queries.ts';

/** A preview that is stored. */
export type Preview = { key: string; size_bytes: number; checksum_sha256: string };

const reasons: Record<string, string> = {
  unsupported: 'Only images (JPEG, PNG, WebP, GIF, TIFF, AVIF) and PDFs have previews.',
  unreadable: 'The file is damaged, or not what it seems to be.',
  too_large: 'The file has too many bytes or pixels for a preview.',
  too_costly: 'Making a preview of this file takes too much time or memory.',
  protected: 'This PDF is protected by a password.',
};

export function openMaking(services: Services, makers: Makers) {
  const { db, storage, limits, log } = services;
  const claim_seconds = limits.previews.in_all_ms / 1000 + 60;
  /** Set when the libraries turn out not to be there. */
  let isOff = false;

  /** The claim begins when it is the preview's turn. @throws Taken if another process has it. */
  async function take(claim: Claim) {
    if (!(await claimPreview(db, claim, claim_seconds))) throw new Taken();
  }

  async function outcomeOf(source: Source, claim: Claim): Promise<Outcome> {
    const kind = await kindIn(storage, source);
    const refused = refusalOf(kind, source.size_bytes, limits.previews.most_bytes);
    if (refused !== undefined || kind === undefined) {
      await take(claim);
      return { reason: refused ?? 'unsupported' };
    }
    return makers.make(claim.tenant_id, {
      ...{ kind, size: claim.size, size_bytes: source.size_bytes },
      copyTo: async (begin) => {
        await take(claim);
        await storage.copyTo(source, undefined, begin);
      },
    });
  }

  async function end(claim: Claim, outcome: Outcome): Promise<Preview> {
    if ('preview' in outcome) return keep(claim, outcome.preview);
    if ('reason' in outcome) {
      await setFailed(db, claim, outcome.reason);
      throw noPreview(outcome.reason);
    }
    if (!isOff) log.warn({ reason: outcome.off }, 'no previews: their libraries do not load');
    isOff = true;
    throw turnedOff();
  }

  async function keep(claim: Claim, bytes: Buffer): Promise<Preview> {
    const { id, key } = await recordUncounted(db, claim.tenant_id, pendingSeconds);
    let isUsed = false;
    try {
      const { size_bytes, checksum_sha256 } = await storage.write(key, Readable.from([bytes]));
      isUsed = await setMade(db, claim, { id, size_bytes, checksum_sha256 });
      if (!isUsed) throw notKept();
      return { key, size_bytes, checksum_sha256 };
    } finally {
      if (!isUsed) await markDead(db, claim.tenant_id, [id]);
    }
  }

  return {
    /** @throws DomainError 503 `previews_off` if none can be made on this machine. */
    requireOn: (): void => {
      if (isOff) throw turnedOff();
    },

    /**
     * @returns undefined if another process makes it.
     * @throws DomainError 415 `no_preview`, which is remembered; others are not.
     */
    make: async (tenant_id: number, source: Source, size: number): Promise<Preview | undefined> => {
      const claim = { tenant_id, object_id: source.object_id, size, claim: randomUUID() };
      try {
        return await end(claim, await outcomeOf(source, claim));
      } catch (error) {
        if (error instanceof Taken) return undefined;
        // Nothing if it was not claimed, or the claim has ended with a reason.
        await dropClaim(db, claim);
        throw error;
      }
    },
  };
}

/** Another process makes it. */
class Taken extends Error {}

function refusalOf(kind: Kind | undefined, size_bytes: number, most_bytes: number) {
  if (kind === undefined) return 'unsupported';
  return size_bytes > most_bytes ? 'too_large' : undefined;
}

async function kindIn(storage: Storage, { key, size_bytes }: Source): Promise<Kind | undefined> {
  if (size_bytes === 0) return undefined;
  const chunks: Buffer[] = [];
  const end = Math.min(size_bytes, kindBytes) - 1;
  const begin = () =>
    new Writable({
      write: (chunk: Buffer, _, done) => {
        chunks.push(Buffer.from(chunk));
        done();
      },
    });
  await storage.copyTo({ key, size_bytes }, { start: 0, end }, begin);
  return kindOf(Buffer.concat(chunks));
}

export const noPreview = (reason: string) =>
  new DomainError(
    'unsupported_media_type',
    `There is no preview of this file. ${reasons[reason] ?? reasons.unreadable}`,
    { code: 'no_preview' },
  );

const turnedOff = () =>
  new DomainError('unavailable', 'This server makes no previews.', { code: 'previews_off' });

const notKept = () =>
  new DomainError('unavailable', 'The preview could not be kept. Try again in 5 s.', {
    retry_after_seconds: 5,
  });
