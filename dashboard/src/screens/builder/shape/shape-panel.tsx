/** What the workflow takes: its inputs and variables. One is open at a time: the selected one. */
import { addInput, addVariable, inputNameFor, variableNameFor } from '@cogworks/graph/edit/edits';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { wordsOfVariable } from '../../../schema-form/bindings.ts';
import { useEditor, useEditorState } from '../editor.ts';
import { Meaning } from '../inspector/section.tsx';
import { useFaultCount } from '../inspector/use-node.ts';
import { shortTypes } from '../media-words.ts';
import { variableId } from '../selection.ts';
import { InputSettings } from './input-settings.tsx';
import classes from './shape.module.css';
import { VariableSettings } from './variable-settings.tsx';

export function ShapePanel() {
  const editor = useEditor();
  const inputs = useEditorState(({ graph }) => graph.inputs);
  const variables = useEditorState(({ graph }) => graph.variables);
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const newInput = () => {
    const name = inputNameFor(editor.getState().graph, 'files');
    editor.edit(t`Added the input ${name}`, (now) => addInput(now, { name }));
    editor.select([`input:${name}`]);
  };
  const newVariable = () => {
    const variable_name = variableNameFor(editor.getState().graph, 'value');
    editor.edit(t`Added the variable ${variable_name}`, (now) =>
      addVariable(now, { variable_name, type: 'string' }),
    );
    editor.select([variableId(variable_name)]);
  };
  return (
    <div className={classes.panel} data-entity="workflow">
      <h2 className={classes.title}>
        <Trans>Inputs</Trans>
      </h2>
      <Meaning>
        <Trans>Files that are chosen when the workflow runs.</Trans>
      </Meaning>
      <ul className={classes.list}>
        {inputs.map((input) => (
          <Card
            key={input.name}
            id={`input:${input.name}`}
            name={input.name}
            facts={shortTypes(input.media_types)}
          >
            <InputSettings input={input} />
          </Card>
        ))}
      </ul>
      {inputs.length === 0 && (
        <None>
          <Trans>No inputs: it runs without files.</Trans>
        </None>
      )}
      {!isReadOnly && (
        <Add onClick={newInput}>
          <Trans>Add an input</Trans>
        </Add>
      )}

      <h2 className={classes.title}>
        <Trans>Variables</Trans>
      </h2>
      <Meaning>
        {t`Values that each run can set. A setting of a step takes one by writing '{{' in its field.`}
      </Meaning>
      <ul className={classes.list}>
        {variables.map((variable) => (
          <Card
            key={variable.variable_name}
            id={variableId(variable.variable_name)}
            name={variable.variable_name}
            facts={wordsOfVariable(variable)}
          >
            <VariableSettings variable={variable} />
          </Card>
        ))}
      </ul>
      {variables.length === 0 && (
        <None>
          <Trans>No variables.</Trans>
        </None>
      )}
      {!isReadOnly && (
        <Add onClick={newVariable}>
          <Trans>Add a variable</Trans>
        </Add>
      )}
    </div>
  );
}

const None = ({ children }: { children: ReactNode }) => (
  <Text size="sm" c="var(--faint)" mt={8}>
    {children}
  </Text>
);

const Add = ({ onClick, children }: { onClick: () => void; children: ReactNode }) => (
  <Button
    variant="subtle"
    size="compact-sm"
    mt={8}
    leftSection={<IconPlus size={15} />}
    onClick={onClick}
  >
    {children}
  </Button>
);

type CardProps = { id: string; name: string; facts: string; children: ReactNode };

function Card({ id, name, facts, children }: CardProps) {
  const editor = useEditor();
  const isOpen = useEditorState(({ selection }) => selection.has(id));
  const faults = useFaultCount(id);
  return (
    <li className={classes.card} data-entity={id} data-open={isOpen || undefined}>
      <button
        type="button"
        className={classes.cardHead}
        aria-expanded={isOpen}
        onClick={() => editor.select(isOpen ? [] : [id])}
      >
        <code className={classes.cardName}>{name}</code>
        <span className={classes.facts}>
          {facts}
          {faults > 0 && (
            <span className={classes.fault}>
              {' · '}
              <Trans>has a fault</Trans>
            </span>
          )}
        </span>
      </button>
      {isOpen && <div className={classes.cardBody}>{children}</div>}
    </li>
  );
}
