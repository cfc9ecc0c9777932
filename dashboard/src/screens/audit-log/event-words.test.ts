import type { AuditEvent } from '@cogworks/sdk/contract.gen';
import { describe, expect, it } from 'vitest';
import { sentenceOf } from './event-words.ts';

const names: Record<number, string> = { 1: 'You', 2: 'Ada Lovelace', 3: 'Bob' };
const nameOf = (id: number) => names[id] ?? `User ${id}`;

const told = (action: string, event: Partial<AuditEvent> = {}) =>
  sentenceOf(
    {
      id: 7,
      action,
      target_type: action.split('.')[0] ?? '',
      details: {},
      created_at: '2026-11-23T08:00:00.000Z',
      actor_id: 2,
      ...event,
    },
    { nameOf, me: 1 },
  );

describe('the sentence of an event', () => {
  it('says who did what to which thing, by its name of today', () => {
    const shared = { target_name: 'notes.txt', details: { user_id: 3, level: 'editor' } };
    expect(told('permission.granted', shared)).toBe(
      'Ada Lovelace shared “notes.txt” with Bob as editor.',
    );
    expect(told('trigger.deleted', { details: { name: 'Nightly' } })).toBe(
      'Ada Lovelace deleted the trigger “Nightly”.',
    );
    expect(told('secret.changed', { target_id: '4' })).toBe('Ada Lovelace changed the secret #4.');
    expect(told('secret.tested', { details: { name: 'HUB' } })).toBe(
      'Ada Lovelace tested the secret “HUB”.',
    );
    expect(told('user.files_taken_over', { details: { successor_id: 1, cog_count: 2 } })).toBe(
      'You got the files and folders of somebody: 2.',
    );
    expect(told('user.signed_in', { details: { address: '::1', issuer: 'https://id.test' } })).toBe(
      'Ada Lovelace signed in at https://id.test from ::1.',
    );
    expect(told('api_key.rotated', { actor_id: 1, target_name: 'CI' })).toBe(
      'You rotated the API key “CI”.',
    );
    expect(told('api_key.reported', { target_name: 'CI', details: { user_id: 3 } })).toBe(
      'Somebody had found the API key “CI” of Bob, and reported it: it was revoked.',
    );
  });

  it('says what became of a person, as far as that is known', () => {
    const person = { target_type: 'user', target_id: '3' };
    const changed = (details: AuditEvent['details']) =>
      told('user.changed', { ...person, details });
    const before = { role: 'member', status: 'active' };
    expect(changed({ role: 'admin', status: 'active', before })).toBe(
      'Ada Lovelace made Bob an administrator.',
    );
    expect(changed({ role: 'member', status: 'disabled', before })).toBe(
      'Ada Lovelace disabled Bob.',
    );
    const disabled = { ...before, status: 'disabled' };
    expect(changed({ role: 'member', status: 'active', before: disabled })).toBe(
      'Ada Lovelace enabled Bob.',
    );
    expect(changed({ role: 'admin', status: 'active' })).toBe(
      'Ada Lovelace made Bob an administrator.',
    );
  });

  it('says that an account was made, and why credits were added', () => {
    const made = { actor_id: undefined, details: { role: 'admin' } };
    expect(told('user.created', { ...made, target_id: '1' })).toBe(
      'Your account was made, as an administrator.',
    );
    expect(told('user.created', { ...made, target_id: '3' })).toBe(
      'The account of Bob was made, as an administrator.',
    );
    const acme = { target_type: 'tenant', target_id: '9', target_name: 'Acme' };
    const added = (details: object) =>
      told('tenant.credits_added', { ...acme, details: { ...details } });
    expect(added({ credits: 1500, reason: 'for the fair' })).toBe(
      'Ada Lovelace gave “Acme” 1,500 credits more for this period: for the fair',
    );
    expect(added({ credits: 1 })).toBe('Ada Lovelace gave “Acme” 1 credit more for this period.');
  });

  it('names the organization that a platform admin made or limited', () => {
    const acme = { target_type: 'tenant', target_id: '9', target_name: 'Acme' };
    expect(told('tenant.created', acme)).toBe('Ada Lovelace made the organization “Acme”.');
    const limits = { seats_limit: 9, platform_admin_id: 2 };
    expect(told('tenant.changed', { ...acme, actor_id: undefined, details: limits })).toBe(
      'The platform’s administrators changed the limits of “Acme”.',
    );
  });

  it('names renaming and moving', () => {
    const moved = (from: object, to: object) =>
      told('cog.moved', { target_name: 'b.txt', details: { from, to } });
    const place = { name: 'a.txt', parent_id: 1 };
    expect(moved(place, { ...place, name: 'b.txt' })).toBe(
      'Ada Lovelace renamed “a.txt” to “b.txt”.',
    );
    expect(moved(place, { ...place, parent_id: 2, parent_name: 'Letters' })).toBe(
      'Ada Lovelace moved “b.txt” to “Letters”.',
    );
    expect(moved(place, { name: 'b.txt', parent_id: 2 })).toBe(
      'Ada Lovelace renamed “a.txt” to “b.txt” and moved it.',
    );
    expect(told('download_url.created', { details: { cog_ids: [1, 2] } })).toBe(
      'Ada Lovelace made a download link for 2 items.',
    );
  });

  it('tells what nobody did, and what a later service records', () => {
    const refused = { target_id: '3', details: { address: '192.0.2.1' } };
    expect(told('user.sign_in_failed', { ...refused, actor_id: undefined })).toBe(
      'A sign-in as Bob was refused from 192.0.2.1.',
    );
    const moved = { from: 'https://a.test', to: 'https://b.test' };
    expect(
      told('user.issuer_changed', { target_id: '3', actor_id: undefined, details: moved }),
    ).toBe('The operator moved the sign-in of Bob from https://a.test to https://b.test.');
    const enrolled = { enrollment_token_id: 5, token_by: 3, address: '192.0.2.1', name: 'gpu-1' };
    expect(told('worker.enrolled', { actor_id: undefined, details: enrolled })).toBe(
      'The worker “gpu-1” was enrolled from 192.0.2.1, with a token that Bob had made.',
    );
    const removed = (events: number, days: number) =>
      told('audit_events.removed', { actor_id: undefined, details: { events, days } });
    expect(removed(1200, 365)).toBe('1,200 events older than 365 days were removed.');
    expect(removed(1, 1)).toBe('1 event older than 1 day was removed.');
    const off = { target_name: 'Nightly', details: { off_reason: 'run_as_disabled' } };
    expect(told('trigger.paused', off)).toBe(
      'The trigger “Nightly” was turned off: the person it runs as is disabled.',
    );
    expect(told('plan.chosen', { target_name: 'Large' })).toBe('Ada Lovelace: plan chosen “Large”');
  });
});
