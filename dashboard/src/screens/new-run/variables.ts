/** A run's variables between the form, which has texts, and the service, which wants types. Pure. */
import type { Variable } from '@cogworks/sdk/contract.gen';

/** What a field holds: a text, or a tick. */
export type FieldValue = string | boolean;
export type FieldValues = Readonly<Record<string, FieldValue>>;

export function defaultsOf(variables: readonly Variable[]): FieldValues {
  return Object.fromEntries(
    variables.map(({ variable_name, type, default: value }) => [
      variable_name,
      type === 'boolean'
        ? value === true
        : value === undefined || value === null
          ? ''
          : String(value),
    ]),
  );
}

/**
 * What to send. A field left empty is left out, so the default holds, or the service says what
 * is missing. A text that is no number is sent as it is: the service knows the rules, and says
 * them once, for every client.
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

/** The service's faults by the variable they belong to; the rest concern the whole. */
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
