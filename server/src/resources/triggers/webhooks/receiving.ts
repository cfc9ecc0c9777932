/**
 * Messages that come to webhooks: who sent them is known by their signature alone, so nothing is
 * read of a body before that is checked.
 */
import { createHash } from 'node:crypto';
import type { Caller } from '../../../callers.ts';
import type { Db } from '../../../db/connection.ts';
import type { Effect, Way } from '../../../effects.ts';
import { conflict, DomainError, type Problem } from '../../../errors.ts';
import { checkSignature, type Delivery as Message } from '../../../hooks/signatures.ts';
import { refusalOf } from '../../../json-text.ts';
import type { Services } from '../../../services.ts';
import { findRunAs, lockTrigger, type WebhookRow } from '../queries.ts';
import { asRefusal, type FiringServices, prepareRun, turnOff, userOf } from '../starting.ts';
import { mappedInputs, withPointers } from './mapping.ts';
import {
  addDelivery,
  claimMessage,
  findHook,
  findRunOfMessage,
  type HookRow,
  type NewDelivery,
  noteStart,
} from './queries.ts';
import { secretsOf } from './settings.ts';

export type ReceivingServices = FiringServices &
  Pick<Services, 'readDb' | 'keys'> & {
    badMessages: BadMessages;
    /** How errors are answered. */
    statusOf: Readonly<Record<Problem, number>>;
  };

/**
 * Keeps messages with bad signatures, one after the other and after the answer: that must not tell
 * whether there is such an address. Of many at once most are forgotten.
 */
export class BadMessages {
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  note({ db, log }: Pick<Services, 'db' | 'log'>, hook: HookRow, { body }: Message): void {
    if (this.#waiting >= mostWaiting) return;
    this.#waiting += 1;
    this.#last = this.#last
      .then(() =>
        addDelivery(db, hook, { verdict: 'bad_signature', status: 401, size_bytes: body.length }),
      )
      .catch((err: unknown) => log.error({ err, trigger_id: hook.id }, 'could not note a message'))
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  /** Ends when all are kept. */
  async settled(): Promise<void> {
    await this.#last;
  }
}

const mostWaiting = 50;

/** Runs the start as the trigger's user, when it is its turn. */
export type InTurn = <Result>(
  caller: Caller,
  work: (way: Way) => Promise<Result>,
) => Promise<Result>;

export type Answer =
  | { status: 202 | 200; body: { workflow_run_id: number } }
  | { status: 200; body: { challenge: string } | { message: string } };

/** Larger bodies are not kept for redelivery. */
const mostKept = 64 * 1024;

/**
 * Checks a message and starts the run that it asks for: once, however often and to how many
 * processes it is sent within a day.
 *
 * @throws DomainError one and the same `unauthenticated` for an unknown address and any fault of the
 *   signature, 409 `trigger_disabled`, 422 for what the mapping needs of the body, and what a start
 *   throws.
 */
export async function receive(
  services: ReceivingServices,
  inTurn: InTurn,
  publicId: string,
  message: Message,
): Promise<Answer> {
  const hook = await findHook(services.readDb, publicId);
  // An unknown address takes as long.
  const secrets = hook ? secretsOf(services.keys, hook) : [];
  const preset = hook?.preset ?? 'standard';
  const signed = checkSignature(preset, message, secrets, new Date());
  if (!hook || !signed) {
    services.metrics.messages.inc({ verdict: 'bad_signature' });
    if (hook) services.badMessages.note(services, hook, message);
    throw new DomainError('unauthenticated', 'The signature is missing, wrong or too old.');
  }
  const delivery = { size_bytes: message.body.length, body: kept(message.body) };
  const noted = (rest: Omit<NewDelivery, 'size_bytes'>) => {
    services.metrics.messages.inc({ verdict: rest.verdict });
    return addDelivery(services.db, hook, { ...delivery, ...rest });
  };
  try {
    const document = documentOf(message.body);
    const answer = answerToTest(hook, message, document);
    if (answer) {
      await noted({ verdict: 'answered', status: answer.status });
      return answer;
    }
    const message_id = signed.message_id ?? idIn(hook, document, message.body);
    const run_id = await findRunOfMessage(services.db, hook, message_id);
    if (run_id !== undefined) {
      await noted({ verdict: 'repeated', status: 200, message_id, run_id });
      return repeatOf(run_id);
    }
    const caller = await activeUser(services.db, hook);
    return await inTurn(caller, async (way) => {
      const wanted = { ...delivery, message_id };
      const start = await prepare(services, caller, hook, document, wanted);
      return start(services.db, way);
    });
  } catch (error) {
    const refusal = asRefusal(error);
    const verdict = refusal.code === 'trigger_disabled' ? 'disabled' : 'refused';
    await noted({ verdict, status: services.statusOf[refusal.problem], reason: reasonOf(refusal) });
    throw error;
  }
}

/** A start for a message that is delivered again, by today's mapping. @throws DomainError see above */
export async function prepareAgain(
  services: FiringServices,
  hook: WebhookRow,
  body: Buffer,
  redelivery_of: number,
): Promise<Effect<Answer>> {
  const delivery = { size_bytes: body.length, body: kept(body), redelivery_of };
  const caller = await activeUser(services.db, hook);
  return prepare(services, caller, hook, documentOf(body), delivery);
}

async function prepare(
  services: FiringServices,
  caller: Caller,
  hook: WebhookRow,
  document: unknown,
  delivery: Pick<NewDelivery, 'message_id' | 'size_bytes' | 'body' | 'redelivery_of'>,
): Promise<Effect<Answer>> {
  const inputs = await mappedInputs(services.db, caller, hook, document);
  const start = await prepareRun(services, hook, inputs).catch((error: unknown) => {
    throw error instanceof DomainError ? withPointers(error, hook) : error;
  });
  const { message_id } = delivery;
  return (db, way) =>
    db.transaction(async (tx) => {
      if (message_id !== undefined && !(await claimMessage(tx, hook, message_id))) {
        // It came to another process as well, whose transaction has just ended.
        const run_id = await findRunOfMessage(tx, hook, message_id);
        if (run_id === undefined) throw new Error('A message was claimed without a run.');
        await addDelivery(tx, hook, { ...delivery, verdict: 'repeated', status: 200, run_id });
        return repeatOf(run_id);
      }
      const { workflow_run_id } = await start(tx, { ...way, isAlone: false });
      services.metrics.messages.inc({ verdict: 'accepted' });
      await noteStart(tx, hook, workflow_run_id, { ...delivery, verdict: 'accepted', status: 202 });
      return { status: 202, body: { workflow_run_id } };
    });
}

const repeatOf = (workflow_run_id: number): Answer => ({ status: 200, body: { workflow_run_id } });

const isOff = () => conflict('trigger_disabled', 'This trigger is turned off.');

/**
 * Its user as a caller. The trigger turns itself off if the user is disabled.
 *
 * @throws DomainError 409 `trigger_disabled`
 */
async function activeUser(db: Db, hook: WebhookRow): Promise<Caller> {
  if (!hook.enabled) throw isOff();
  try {
    return await userOf(db, hook);
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'run_as_disabled') throw error;
    await db.transaction(async (tx) => {
      const locked = await lockTrigger(tx, hook);
      if (!locked?.enabled) return;
      // They may have been enabled again meanwhile, and their triggers with them.
      const user = await findRunAs(tx, locked.tenant_id, locked.run_as_user_id);
      if (user?.status !== 'active') await turnOff(tx, locked, 'run_as_disabled');
    });
    throw isOff();
  }
}

/** Where in the message the faults are as well. */
const reasonOf = ({ fields, message }: DomainError) =>
  fields ? fields.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join(' ') : message;

const kept = (body: Uint8Array) => (body.length <= mostKept ? body : undefined);

/** @throws DomainError 400 or 422; a message without a body is an empty one. */
function documentOf(body: Uint8Array): unknown {
  if (body.length === 0) return undefined;
  const refusal = refusalOf(body);
  if (refusal) throw refusal;
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch (cause) {
    throw new DomainError('invalid', 'The body is not JSON.', { cause });
  }
}

/** Senders try an address when it is set up. */
function answerToTest(
  { preset }: WebhookRow,
  { header }: Message,
  document: unknown,
): Answer | undefined {
  if (preset === 'github' && header('x-github-event') === 'ping')
    return { status: 200, body: { message: 'The signature is right.' } };
  const { type, challenge } = fieldsOf(document);
  if (preset === 'slack' && type === 'url_verification' && typeof challenge === 'string')
    return { status: 200, body: { challenge } };
  return undefined;
}

/** The id that the body has, where headers have none. */
function idIn({ preset }: WebhookRow, document: unknown, body: Uint8Array): string {
  const { id, event_id } = fieldsOf(document);
  const given = preset === 'stripe' ? id : event_id;
  if (typeof given === 'string' && /^[\x21-\x7e]{1,256}$/.test(given)) return given;
  return createHash('sha256').update(body).digest('hex');
}

const fieldsOf = (document: unknown): Record<string, unknown> =>
  document !== null && typeof document === 'object' ? { ...document } : {};
