import { pointerTo } from '../json.ts';
import { compilePattern } from '../pattern.ts';
import type { Fault, GraphVariable } from '../types.ts';
import { matchingSteps, type Steps, valueFault } from '../variables.ts';
import { isKey } from './names.ts';

/** Faults in the declarations of variables that would make runs fail. */
export function variableFaults(variables: readonly GraphVariable[]): Fault[] {
  const faults: Fault[] = [];
  const names = new Set<string>();
  const steps = matchingSteps();
  variables.forEach((variable, position) => {
    const name = variable.variable_name;
    const pointer = `/variables/${position}`;
    if (names.has(name)) {
      faults.push({
        code: 'duplicate_variable',
        message: `Two variables are called "${name}".`,
        pointer: pointerTo(pointer, 'variable_name'),
      });
    }
    names.add(name);
    for (const [field, message] of declarationFaults(variable, steps)) {
      faults.push({
        code: 'bad_variable',
        message: `Variable "${name}": ${message}`,
        pointer: pointerTo(pointer, field),
      });
    }
  });
  return faults;
}

function declarationFaults(
  variable: GraphVariable,
  steps: Steps,
): [field: string, message: string][] {
  const { variable_name, type, enum: values, minimum, maximum, pattern } = variable;
  const faults: [string, string][] = [];
  if (!isKey(variable_name)) {
    faults.push(['variable_name', 'The name is a letter, then letters, digits, _ or -.']);
  }

  if (type === 'enum' && !values?.length) faults.push(['enum', 'An enum needs values.']);
  if (values && new Set(values).size < values.length) faults.push(['enum', 'A value is repeated.']);
  const unfit = values?.some((value) => valueFault({ ...withoutLimits(variable) }, value));
  if (unfit) faults.push(['enum', `A value is not of type ${type}.`]);

  if (minimum !== undefined && maximum !== undefined && minimum > maximum) {
    faults.push(['maximum', 'The maximum is below the minimum.']);
  }

  const compiled = pattern === undefined ? undefined : compilePattern(pattern);
  if (compiled && 'fault' in compiled) faults.push(['pattern', compiled.fault]);
  else if (variable.default !== undefined) {
    const fault = valueFault(variable, variable.default, steps);
    if (fault) faults.push(['default', `The default does not fit: ${fault.message}`]);
  }
  return faults;
}

const withoutLimits = ({ variable_name, type }: GraphVariable): GraphVariable => ({
  variable_name,
  type,
});
