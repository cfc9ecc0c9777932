/** The declaration of a variable as a form: its fields are those of the API. Pure. */
import type { GraphVariable, VariableType } from '@cogworks/graph/types';
import type { Schema } from '../../../schema-form/kinds.ts';

export const typeChoices: { value: VariableType; label: string }[] = [
  { value: 'string', label: 'Text' },
  { value: 'integer', label: 'Whole number' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'On or off' },
  { value: 'enum', label: 'Choice' },
];

/** Of all that can be declared of a variable of this type, but its name and type. */
export function declarationSchema({ type, enum: choices = [] }: GraphVariable): Schema {
  const number = type === 'integer' || type === 'number';
  return {
    type: 'object',
    properties: {
      ...(type === 'enum' && {
        enum: { title: 'Choices', type: 'array', items: { type: 'string' } },
      }),
      default: {
        title: 'Default',
        description: 'Used by runs that give no other value.',
        ...(type === 'enum' ? { enum: choices } : { type }),
      },
      required: {
        title: 'Every run must give it',
        description: 'Without a default, the form of a run asks for it.',
        type: 'boolean',
        default: false,
      },
      ...(number && {
        minimum: { title: 'Least', type: 'number' },
        maximum: { title: 'Most', type: 'number' },
      }),
      ...(type === 'string' && {
        pattern: { title: 'Pattern', type: 'string', description: 'A regular expression.' },
      }),
      description: { title: 'Description', type: 'string', maxLength: 1000 },
    },
  };
}

/** The variable with another type: what only the old type has is left out, values are kept if they fit. */
export function withType(variable: GraphVariable, type: VariableType): GraphVariable {
  const { variable_name, required, description, default: value } = variable;
  const kept = converted(value, type);
  return {
    variable_name,
    type,
    ...(kept !== undefined && { default: kept }),
    ...(required !== undefined && { required }),
    ...(description !== undefined && { description }),
    ...(type === 'enum' && { enum: kept === undefined ? ['first', 'second'] : [kept] }),
  };
}

function converted(value: unknown, type: VariableType): string | number | boolean | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  switch (type) {
    case 'string':
    case 'enum':
      return String(value);
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    default: {
      const number = typeof value === 'boolean' ? Number.NaN : Number(value);
      const fits = type === 'integer' ? Number.isSafeInteger(number) : Number.isFinite(number);
      return fits ? number : undefined;
    }
  }
}
