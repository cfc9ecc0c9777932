/** A value that is no text and comes from a variable: which one, and a way back to a value. */
import type { GraphVariable } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconBraces, IconX } from '@tabler/icons-react';
import { useId } from 'react';
import { wordsOfVariable } from './bindings.ts';
import { describedBy, FieldFrame } from './field-frame.tsx';
import { FieldMenu } from './field-menu.tsx';
import { type FieldProps, faultAt, useForm } from './form.ts';
import { limitsOf } from './kinds.ts';
import classes from './schema-form.module.css';

export function BoundField({ name, ...props }: FieldProps & { name: string }) {
  const id = useId();
  const { faults, binding, isReadOnly } = useForm();
  const { label, schema, pointer, isRequired, onChange } = props;
  const variable = binding?.variables.find((one) => one.variable_name === name);
  return (
    <FieldFrame
      id={id}
      label={label}
      pointer={pointer}
      isRequired={isRequired}
      description={schema.description}
      limits={limitsOf(schema)}
      fault={faultAt(faults, pointer)}
      menu={<FieldMenu {...props} />}
      isGroup
    >
      <div className={classes.bound} aria-describedby={describedBy(id)}>
        <IconBraces size={16} aria-hidden className={classes.boundIcon} />
        <span className={classes.boundWords}>
          <code>{name}</code>
          <span className={classes.menuHint}>{wordsOf(variable)}</span>
        </span>
        {!isReadOnly && (
          <Tooltip label={t`Write a value instead`}>
            <ActionIcon
              size={26}
              aria-label={t`Write a value of ${label} instead`}
              onClick={() => onChange(variable?.default)}
            >
              <IconX size={15} />
            </ActionIcon>
          </Tooltip>
        )}
      </div>
    </FieldFrame>
  );
}

const wordsOf = (variable: GraphVariable | undefined) =>
  variable ? wordsOfVariable(variable) : t`There is no such variable.`;
