/** What all fields of one form share. */
import type { GraphVariable } from '@cogworks/graph/types';
import { type ComponentType, createContext, useContext } from 'react';
import type { Schema } from './kinds.ts';

/** Lets fields take their values from the variables of a workflow. */
export type Binding = {
  variables: readonly GraphVariable[];
  /** Declares a variable for the value at this pointer, and makes the value refer to it. */
  declare: (pointer: string, label: string, schema: Schema, value: unknown) => void;
};

export type FieldProps = {
  label: string;
  schema: Schema;
  value: unknown;
  /** A JSON Pointer from the value of the form. */
  pointer: string;
  isRequired?: boolean;
  /** Undefined leaves the value out, so that the default applies. */
  onChange: (value: unknown) => void;
};

export type Form = {
  /** The schema that references of others lead into. */
  root: Schema;
  /** What is wrong, by pointer. */
  faults: ReadonlyMap<string, string>;
  /** The names of secrets; undefined if they may not be listed. */
  secrets: readonly string[] | undefined;
  binding: Binding | undefined;
  isReadOnly: boolean;
  /** Any field, for fields that hold others. */
  Field: ComponentType<FieldProps>;
};

export const FormContext = createContext<Form | undefined>(undefined);

export function useForm(): Form {
  const form = useContext(FormContext);
  if (!form) throw new Error('A field needs a form around it.');
  return form;
}

/** The faults of a value; with those of its parts, if these have no fields of their own. */
export function faultAt(
  faults: ReadonlyMap<string, string>,
  pointer: string,
  withParts = false,
): string | undefined {
  const own = faults.get(pointer);
  if (own !== undefined || !withParts) return own;
  for (const [at, words] of faults) {
    if (at.startsWith(`${pointer}/`)) return `${at.slice(pointer.length)}: ${words}`;
  }
  return undefined;
}
