/** Parts of an order: argv, environment, and the credentials to pull its image. Pure. */
import { registryFromUrl, registryOf } from '@cogworks/graph/image-reference';
import {
  parameterEnvironmentName,
  renderCommand,
  stemOf,
  TemplateError,
} from '@cogworks/graph/template';
import type { WorkOrder } from '@cogworks/sdk/contract.gen';
import { AttemptError } from '../attempt-error.ts';

/** An input as the program sees it. */
type Placed = { input: { port: string }; container_path: string };

/** @throws AttemptError `bad_params` if an input is missing or a reference is invalid. */
export function commandOf(order: WorkOrder, placed: Placed[]): string[] {
  const inputs: Record<string, string | null> = {};
  for (const { name, cardinality } of order.input_ports) {
    const first = placed.find(({ input }) => input.port === name);
    inputs[name] =
      cardinality === 'many' ? `/data/inputs/${name}` : (first?.container_path ?? null);
    if (cardinality === 'one' && !first) {
      throw new AttemptError(
        'bad_params',
        `There is no file for the input ${name}: the node before it made none.`,
      );
    }
  }
  const { file } = order;
  try {
    return renderCommand(order.command, {
      params: order.params,
      vars: order.variables,
      inputs,
      run: { id: order.run_id },
      ...(file ? { file: { name: file.name, stem: stemOf(file.name) } } : {}),
    });
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    throw new AttemptError('bad_params', error.message, { cause: error });
  }
}

/** The definition's variables, and each param as `PARAM_<NAME>`. */
export const environmentOf = ({ env, params }: WorkOrder): Record<string, string> => ({
  ...env,
  ...Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      parameterEnvironmentName(name),
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  ),
});

/** Only for the registry the credentials were stored for. */
export function credentialsOf({ image, registry }: Pick<WorkOrder, 'image' | 'registry'>) {
  const server = registryOf(image);
  if (!registry || server === null) return null;
  return registryFromUrl(registry.server) === server ? registry : null;
}
