/** The faults of a definition in any graph. Pure, because it may run on a thread. */
import { commandFault } from '@cogworks/graph/checks/commands';
import { parseImage } from '@cogworks/graph/image-reference';
import { schemaFaults } from '@cogworks/graph/schema-shape';
import { referencesIn } from '@cogworks/graph/template';
import { type FieldFault, unprocessableFor } from '../../errors.ts';
import type { NewNodeDefinition } from './schema.ts';

type Judged = Required<
  Pick<NewNodeDefinition, 'image' | 'command' | 'inputs' | 'outputs' | 'params'>
>;

/** @throws DomainError 422 with every fault. */
export function requireSound(definition: Judged): void {
  const faults = faultsOf(definition);
  if (faults.length > 0) throw unprocessableFor(faults);
}

function faultsOf({ image, command, inputs, outputs, params }: Judged): FieldFault[] {
  const faults: FieldFault[] = [];
  const fault = (loc: (string | number)[], msg: string, type = 'value_error') =>
    faults.push({ loc: ['body', ...loc], msg, type });

  if (parseImage(image) === null)
    fault(['image'], 'Not an image reference such as registry.example/tools:1.2.');
  command.forEach((part, index) => {
    for (const reference of referencesIn(part)) {
      const wrong = commandFault(reference, { inputs, params });
      if (wrong === null) continue;
      // Other faults depend on the graph that uses it; these apply to every graph.
      const isSecret = wrong.code === 'secret_in_command';
      if (!isSecret && reference.kind !== 'inputs' && reference.kind !== 'unknown') continue;
      fault(['command', index], wrong.message, isSecret ? wrong.code : undefined);
    }
  });
  for (const [field, ports] of [
    ['inputs', inputs],
    ['outputs', outputs],
  ] as const) {
    const names = ports.map((port) => port.name);
    names.forEach((name, index) => {
      if (names.indexOf(name) < index)
        fault([field, index, 'name'], `There are two ports named ${name}.`);
    });
  }
  outputs.forEach(({ glob }, index) => {
    if (glob.startsWith('/') || glob.split('/').includes('..') || glob.includes('\0')) {
      fault(
        ['outputs', index, 'glob'],
        'Must stay below /data/outputs: no leading "/" and no "..".',
      );
    }
  });
  for (const { pointer, message } of schemaFaults(params)) {
    fault(['params', ...pointer.split('/').slice(1)], `The params schema: ${message}.`);
  }
  return faults;
}
