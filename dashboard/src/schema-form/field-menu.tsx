/** The menu of a field: take the value from a variable, make one of it, go back to the default. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconArrowBackUp, IconBraces, IconCircleDashed, IconCirclePlus } from '@tabler/icons-react';
import {
  boundTo,
  fittingVariables,
  referenceTo,
  variableFor,
  wordsOfVariable,
} from './bindings.ts';
import { type FieldProps, useForm } from './form.ts';
import { takesNull, wordsFor } from './kinds.ts';
import classes from './schema-form.module.css';

export function FieldMenu({ label, schema, value, pointer, onChange }: FieldProps) {
  const { root, binding, isReadOnly } = useForm();
  if (isReadOnly) return null;
  const fitting = binding ? fittingVariables(binding.variables, schema, root) : [];
  const bound = boundTo(value);
  const others = fitting.filter(({ variable_name }) => variable_name !== bound);
  const isDeclarable =
    binding !== undefined &&
    bound === undefined &&
    variableFor('name', schema, value, root) !== null;
  const mayUnset = value !== undefined;
  const mayBeNull = takesNull(schema) && value !== null;
  if (others.length === 0 && !isDeclarable && !mayUnset && !mayBeNull) return null;

  const back =
    schema.default === undefined
      ? t`Leave it out`
      : t`Back to the default: ${wordsFor(schema.default)}`;
  if (!binding && !mayBeNull) {
    return (
      <Tooltip label={back}>
        <ActionIcon
          size={24}
          aria-label={`${label}: ${back.charAt(0).toLowerCase()}${back.slice(1)}`}
          onClick={() => onChange(undefined)}
        >
          <IconArrowBackUp size={15} />
        </ActionIcon>
      </Tooltip>
    );
  }
  return (
    <Menu width={260}>
      <Menu.Target>
        <ActionIcon size={24} aria-label={t`Variables and default of ${label}`}>
          <IconBraces size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu}>
        {isDeclarable && (
          <Menu.Item
            leftSection={<IconCirclePlus size={15} />}
            onClick={() => binding.declare(pointer, label, schema, value)}
          >
            <Trans>Make it a variable of the workflow</Trans>
          </Menu.Item>
        )}
        {others.map((variable) => (
          <Menu.Item
            key={variable.variable_name}
            leftSection={<IconBraces size={15} />}
            onClick={() => onChange(referenceTo(variable.variable_name))}
          >
            <Trans>
              Take it from <code>{variable.variable_name}</code>
            </Trans>
            <span className={classes.menuHint}>{wordsOfVariable(variable)}</span>
          </Menu.Item>
        ))}
        {mayBeNull && (
          <Menu.Item leftSection={<IconCircleDashed size={15} />} onClick={() => onChange(null)}>
            <Trans>Give nothing (null)</Trans>
          </Menu.Item>
        )}
        {mayUnset && (
          <Menu.Item
            leftSection={<IconArrowBackUp size={15} />}
            onClick={() => onChange(undefined)}
          >
            {back}
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
