/** What surrounds every field: its label, what it is for, its limits, what is wrong, its menu. */
import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './schema-form.module.css';

type Props = {
  id: string;
  label: string;
  /** Marks the field, so that a fault can lead to it. */
  pointer: string;
  isRequired?: boolean | undefined;
  description?: unknown;
  limits?: string | undefined;
  fault?: string | undefined;
  /** What the value comes to, for example with the defaults of variables. */
  result?: ReactNode;
  menu?: ReactNode;
  /** Fields of several parts are a group with a name, instead of a label of one field. */
  isGroup?: boolean;
  children: ReactNode;
};

/** The ids of what describes a field, for `aria-describedby`. */
export const describedBy = (id: string) => `${id}-words ${id}-result ${id}-fault`;

export function FieldFrame({ isGroup = false, ...props }: Props) {
  const { id, label, pointer, isRequired, description, limits, fault, result, menu } = props;
  const words = [typeof description === 'string' ? description : '', limits ?? '']
    .filter((part) => part !== '')
    .map((part) => (/[.!?]$/.test(part) ? part : `${part}.`))
    .join(' ');
  const name = (
    <>
      {label}
      {isRequired && (
        <span aria-hidden className={classes.star}>
          {' '}
          *
        </span>
      )}
    </>
  );
  return (
    <div
      className={classes.frame}
      data-pointer={pointer}
      {...(isGroup && { role: 'group', 'aria-labelledby': `${id}-label` })}
    >
      <div className={classes.head}>
        {isGroup ? (
          <span id={`${id}-label`} className={classes.label}>
            {name}
          </span>
        ) : (
          <label htmlFor={id} id={`${id}-label`} className={classes.label}>
            {name}
          </label>
        )}
        {menu}
      </div>
      {words !== '' && (
        <Text id={`${id}-words`} size="xs" c="var(--faint)" className={classes.words}>
          {words}
        </Text>
      )}
      {props.children}
      {result && (
        <Text id={`${id}-result`} size="xs" c="var(--faint)" className={classes.result}>
          {result}
        </Text>
      )}
      {fault && (
        <Text
          id={`${id}-fault`}
          size="xs"
          c="var(--mantine-color-error)"
          className={classes.result}
        >
          {fault}
        </Text>
      )}
    </div>
  );
}
