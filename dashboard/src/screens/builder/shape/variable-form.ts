/** The declaration of a variable as a form: its fields are those of the API. Pure. */
import type { GraphVariable, VariableType } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import type { Schema } from '../../../schema-form/kinds.ts';

export const typeChoices: { value: VariableType; label: string }[] = [
  { value: 'string', label: t`Text` },
  { value: 'integer', label: t`Whole number` },
  { value: 'number', label: t`Number` },
  { value: 'boolean', label: t`On or off` },
  { value: 'enum', label: t`Choice` },
];

/** Of all that can be declared of a variable of this type, but its name and type. */
export function declarationSchema({ type, enum: choices = [] }: GraphVariable): Schema {
  const number = type === 'integer' || type === 'number';
  return {
    type: 'object',
    properties: {
      ...(type === 'enum' && {
        enum: { title: t`Choices`, type: 'array', items: { type: 'string' } },
      }),
      default: {
        title: t`Default`,
        description: t`Used by runs that give no other value.`,
        ...(type === 'enum' ? { enum: choices } : { type }),
      },
      required: {
        title: t`Every run must give it`,
        description: t`Without a default, the form of a run asks for it.`,
        type: 'boolean',
        default: false,
      },
      ...(number && {
        minimum: { title: t`Least`, type: 'number' },
        maximum: { title: t`Most`, type: 'number' },
      }),
      ...(type === 'string' && {
        pattern: { title: t`Pattern`, type: 'string', description: t`A regular expression.` },
      }),
      description: { title: t`Description`, type: 'string', maxLength: 1000 },
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
    ...(type === 'enum' && { enum: kept === undefined ? [t`first`, t`second`] : [kept] }),
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
