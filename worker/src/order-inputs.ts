/** Reads the inputs that an order leaves out: of very many it names only the first. */
import type { Client } from '@cogworks/sdk/client';
import type { InputPage, WorkOrder } from '@cogworks/sdk/contract.gen';
import { AttemptError } from './attempt-error.ts';
import { retryCall } from './retry.ts';

/**
 * The order with all of its inputs.
 *
 * @throws AttemptError `input_fetch` if they cannot be read.
 */
export async function withAllInputs(
  client: Client,
  path: { id: number; attempt_id: number },
  { more_inputs, ...order }: WorkOrder,
  signal: AbortSignal,
): Promise<WorkOrder> {
  const { lease_token } = order;
  const inputs = [...order.inputs];
  for (let start = more_inputs; start !== undefined; ) {
    const body = { lease_token, start };
    const page: InputPage = await retryCall(
      () => client.readInputs({ path, body, signal }),
      signal,
    ).catch((cause: Error) => {
      const message = `The list of the inputs could not be read: ${cause.message}`;
      throw new AttemptError('input_fetch', message, { cause });
    });
    inputs.push(...page.inputs);
    start = page.more_inputs;
  }
  signal.throwIfAborted();
  return { ...order, inputs };
}
