/** What each part of the form gets. */
import type { Form } from './definition-form.ts';

export type Editing = {
  form: Form;
  change: (changes: Partial<Form>) => void;
  /** What is wrong with a field, by its name in the request: `inputs.0.name`. */
  fault: (field: string) => string | undefined;
};
