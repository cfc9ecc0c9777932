/** What the workflow takes: its inputs and variables. Shown while nothing is selected. */
import { Text, Title } from '@mantine/core';
import classes from '../builder.module.css';
import { useEditorState } from '../editor.ts';

export function ShapePanel() {
  const inputs = useEditorState(({ graph }) => graph.inputs);
  const variables = useEditorState(({ graph }) => graph.variables);
  return (
    <div className={classes.panel}>
      <Title order={2} size="sm">
        Inputs
      </Title>
      {inputs.map(({ name }) => (
        <Text key={name} size="sm">
          {name}
        </Text>
      ))}
      <Title order={2} size="sm" mt="md">
        Variables
      </Title>
      {variables.map(({ variable_name }) => (
        <Text key={variable_name} size="sm">
          {variable_name}
        </Text>
      ))}
    </div>
  );
}
