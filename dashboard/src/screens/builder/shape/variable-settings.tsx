/** The settings of a variable: its name, type, default and limits, and where it is used. */
import { removeVariable, renameVariable, setVariable } from '@cogworks/graph/edit/edits';
import type { GraphVariable, VariableType } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Select, Stack } from '@mantine/core';
import { useMemo } from 'react';
import { withMember } from '../../../schema-form/part-fields.tsx';
import { SchemaForm } from '../../../schema-form/schema-form.tsx';
import { useEditor } from '../editor.ts';
import { DeleteButton } from '../inspector/delete-button.tsx';
import { useFieldEdits } from '../inspector/field-edits.ts';
import { useDefinitions, useFaultsAt, useGraph, useIsReadOnly } from '../inspector/use-node.ts';
import { variableId } from '../selection.ts';
import { NameField } from './name-field.tsx';
import { UsedBy } from './used-by.tsx';
import { nodesUsing } from './uses.ts';
import { declarationSchema, typeChoices, withType } from './variable-form.ts';

export function VariableSettings({ variable }: { variable: GraphVariable }) {
  const editor = useEditor();
  const edits = useFieldEdits();
  const graph = useGraph();
  const definitions = useDefinitions();
  const isReadOnly = useIsReadOnly();
  const { variable_name: name, type: _, ...declaration } = variable;
  const faults = useFaultsAt(variableId(name));
  const schema = useMemo(() => declarationSchema(variable), [variable]);
  return (
    <Stack gap="sm" onFocusCapture={edits.onFocusCapture}>
      <div data-pointer="/variable_name">
        <NameField
          label={t`Name`}
          name={name}
          taken={graph.variables.map((one) => one.variable_name)}
          fault={faults.get('/variable_name')}
          isReadOnly={isReadOnly}
          onRename={(next) => {
            editor.edit(t`Variable ${name} is now ${next}`, (now) =>
              renameVariable(now, name, next),
            );
            editor.select([variableId(next)]);
          }}
        />
      </div>
      <div data-pointer="/type">
        <Select
          label={t`Type`}
          data={typeChoices}
          value={variable.type}
          readOnly={isReadOnly}
          allowDeselect={false}
          onChange={(type) =>
            editor.edit(t`Type of ${name}`, (now) =>
              setVariable(now, name, withType(variable, type as VariableType)),
            )
          }
          comboboxProps={{ withinPortal: false }}
        />
      </div>
      <SchemaForm
        key={variable.type}
        schema={schema}
        value={declaration}
        faults={faults}
        isReadOnly={isReadOnly}
        onChange={(field, value) => {
          const label = labels[field] ?? field;
          edits.edit(t`${label} of ${name}`, `/${field} ${name}`, (now) =>
            setVariable(now, name, {
              ...(withMember(declaration, field, value) as Omit<GraphVariable, 'variable_name'>),
              type: variable.type,
            }),
          );
        }}
      />
      <UsedBy
        id={variableId(name)}
        keys={nodesUsing(graph, definitions, name)}
        none={t`Nothing uses it yet.`}
      />
      <DeleteButton
        words={t`Deleted the variable ${name}`}
        change={(now) => removeVariable(now, name)}
      >
        <Trans>Delete the variable</Trans>
      </DeleteButton>
    </Stack>
  );
}

const labels: Readonly<Record<string, string>> = {
  default: t`Default`,
  enum: t`Choices`,
  minimum: t`Least value`,
  maximum: t`Most`,
};
