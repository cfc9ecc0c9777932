/** What each part of the form gets. */
import { type ComponentType, memo } from 'react';
import type { Form } from './definition-form.ts';

export type Editing = {
  form: Form;
  change: (changes: Partial<Form>) => void;
  /** What is wrong with a field, by its name in the request: `inputs.0.name`. */
  fault: (field: string) => string | undefined;
};

/**
 * A part that is drawn again only when what it shows has changed: the form has many fields, and all
 * would be drawn at each key.
 *
 * @param names what it reads of the form.
 */
export const partOf = <Props extends Editing>(
  Part: ComponentType<Props>,
  names: readonly (keyof Form)[],
) =>
  memo(
    Part,
    (before, after) =>
      before.fault === after.fault && names.every((name) => before.form[name] === after.form[name]),
  );
