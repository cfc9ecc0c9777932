/** What the parts of a trigger's dialog get. */
import type { FieldFault } from '@cogworks/sdk/errors';
import type { TriggerForm } from './trigger-form.ts';

export type FieldsProps = {
  form: TriggerForm;
  onChange: (changes: Partial<TriggerForm>) => void;
  faults: readonly FieldFault[];
};

/** The service's words about one field, if there are any. */
export function faultOf(faults: readonly FieldFault[], ...path: string[]): string | undefined {
  const words = faults
    .filter(({ loc }) => path.every((part, index) => loc[index + 1] === part))
    .map(({ msg }) => msg);
  return words.length > 0 ? words.join(' ') : undefined;
}
