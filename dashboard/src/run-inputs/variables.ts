/** Converts a run's variables between the form's strings and the service's types. Pure. */
import type { Variable } from '@cogworks/sdk/contract.gen';

/** The value of a field: text or a checkbox. */
export type FieldValue = string | boolean;
export type FieldValues = Readonly<Record<string, FieldValue>>;

/** @param given values that precede the defaults. */
export function defaultsOf(
  variables: readonly Variable[],
  given: Readonly<Record<string, unknown>> = {},
): FieldValues {
  return Object.fromEntries(
    variables.map(({ variable_name, type, default: usual }) => {
      const value = Object.hasOwn(given, variable_name) ? given[variable_name] : usual;
      if (type === 'boolean') return [variable_name, value === true];
      return [variable_name, value === undefined || value === null ? '' : String(value)];
    }),
  );
}

/**
 * The values to send. Empty fields are omitted, so that the default applies or the service reports
 * what is missing. Text that is not a number is sent unchanged: only the service checks the rules.
 */
export function valuesOf(variables: readonly Variable[], fields: FieldValues) {
  const values: Record<string, unknown> = {};
  for (const variable of variables) {
    const field = fields[variable.variable_name];
    if (field === undefined || field === '') continue;
    values[variable.variable_name] = typed(variable, field);
  }
  return values;
}

function typed({ type, enum: choices }: Variable, field: FieldValue): unknown {
  if (typeof field === 'boolean') return field;
  if (type === 'integer' || type === 'number') {
    const value = Number(field);
    return Number.isFinite(value) ? value : field;
  }
  return choices?.find((choice) => String(choice) === field) ?? field;
}

type Fault = { loc: readonly (string | number)[]; msg: string };

/** Assigns the service's faults to variables; the rest concern the whole request. */
export function faultsByVariable(faults: readonly Fault[], variables: readonly Variable[]) {
  const byName: Record<string, string> = {};
  const others: string[] = [];
  for (const { loc, msg } of faults) {
    const name = variables.find((one) => loc.includes(one.variable_name))?.variable_name;
    if (name === undefined) others.push(msg);
    else byName[name] = byName[name] === undefined ? msg : `${byName[name]} ${msg}`;
  }
  return { byName, others };
}
