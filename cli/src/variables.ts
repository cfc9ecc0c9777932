/**
 * `--var name=value` for the variables a version declares, converted to their types. Pure. The
 * service checks ranges and patterns.
 */
import type { Variable } from '@cogworks/sdk/contract.gen';
import { UsageProblem } from './problem.ts';

export type Assignment = { name: string; text: string };

/** @throws UsageProblem if there is no `=`. */
export function readAssignment(word: string): Assignment {
  const at = word.indexOf('=');
  if (at < 1) throw new UsageProblem(`--var takes name=value, not ${JSON.stringify(word)}.`);
  return { name: word.slice(0, at), text: word.slice(at + 1) };
}

/** @throws UsageProblem with all faults at once. */
export function valuesOf(assignments: Assignment[], declared: Variable[]): Record<string, unknown> {
  const variables = new Map(declared.map((variable) => [variable.variable_name, variable]));
  const values = new Map<string, unknown>();
  const faults: string[] = [];
  for (const { name, text } of assignments) {
    const variable = variables.get(name);
    const value = variable && readValue(variable, text);
    if (values.has(name)) faults.push(`${name} is given twice.`);
    else if (!variable) faults.push(`This workflow has no variable ${name}.`);
    else if (value === undefined) faults.push(`${name} is ${kindOf(variable)}, not “${text}”.`);
    values.set(name, value);
  }
  for (const { variable_name, required, default: preset } of declared) {
    if (required && preset === undefined && !values.has(variable_name))
      faults.push(`${variable_name} is missing: --var ${variable_name}=…`);
  }
  if (faults.length > 0) throw new UsageProblem([...faults, ...choices(declared)].join('\n'));
  return Object.fromEntries(values);
}

/** @returns undefined if the text is not a value of the type. */
function readValue({ type, enum: members }: Variable, text: string): unknown {
  switch (type) {
    case 'integer':
      return /^[+-]?\d+$/.test(text) && Number.isSafeInteger(Number(text))
        ? Number(text)
        : undefined;
    case 'number':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'boolean':
      return { true: true, false: false }[text];
    case 'enum':
      return members?.find((member) => String(member) === text);
    default:
      return text;
  }
}

function kindOf({ type, enum: members = [] }: Variable): string {
  switch (type) {
    case 'integer':
      return 'a whole number';
    case 'number':
      return 'a number';
    case 'boolean':
      return 'true or false';
    default:
      return `one of ${members.join(', ')}`;
  }
}

function choices(declared: Variable[]): string[] {
  if (declared.length === 0) return ['It takes no variables.'];
  const width = Math.max(...declared.map(({ variable_name }) => variable_name.length));
  return [
    'Its variables are:',
    ...declared.map(({ variable_name, type, enum: members, default: preset, description }) => {
      const kind = type === 'enum' ? (members ?? []).join(' | ') : type;
      const without = preset === undefined ? '' : `, ${JSON.stringify(preset)} unless given`;
      const what = description ? `: ${description}` : '';
      return `  ${variable_name.padEnd(width)}  ${kind}${without}${what}`;
    }),
  ];
}
