/** What the workflow takes, above its steps: inputs and variables, each a way to its settings. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button } from '@mantine/core';
import { IconBraces, IconFiles, IconPlus, IconSettings } from '@tabler/icons-react';
import { wordsOfVariable } from '../../../schema-form/bindings.ts';
import { useEditor, useEditorState } from '../editor.ts';
import { useOpenSettings } from '../faults/show-field.ts';
import { shortTypes } from '../media-words.ts';
import { variableId } from '../selection.ts';
import classes from './outline.module.css';

export function OutlineEnds({ onAddAfter }: { onAddAfter: (input: string) => void }) {
  const editor = useEditor();
  const openSettings = useOpenSettings();
  const inputs = useEditorState(({ graph }) => graph.inputs);
  const variables = useEditorState(({ graph }) => graph.variables);
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const show = (ids: string[]) => {
    editor.select(ids);
    openSettings();
  };
  return (
    <>
      <div className={classes.headingRow}>
        <h2 className={classes.heading} id="outline-inputs">
          <Trans>Inputs and variables</Trans>
        </h2>
        <Button
          variant="subtle"
          size="compact-sm"
          leftSection={<IconSettings size={15} />}
          aria-label={
            isReadOnly ? t`Show all inputs and variables` : t`Change inputs and variables`
          }
          onClick={() => show([])}
        >
          {isReadOnly ? t`Show all` : t`Change`}
        </Button>
      </div>
      {inputs.length + variables.length === 0 && (
        <p className={classes.line}>
          <Trans>None: it runs without files, always alike.</Trans>
        </p>
      )}
      <ul className={classes.ends} aria-labelledby="outline-inputs">
        {inputs.map(({ name, media_types }) => (
          <li key={name} className={classes.end}>
            <button
              type="button"
              className={classes.endName}
              onClick={() => show([`input:${name}`])}
            >
              <IconFiles size={16} aria-hidden className={classes.endIcon} />
              <span className={classes.endWords}>
                <span className={classes.endTitle}>{name}</span>
                <span className={classes.line}>
                  <Trans>takes {shortTypes(media_types)}</Trans>
                </span>
              </span>
            </button>
            {!isReadOnly && (
              <ActionIcon
                size={32}
                aria-label={t`Add a step after ${name}`}
                onClick={() => onAddAfter(name)}
              >
                <IconPlus size={18} />
              </ActionIcon>
            )}
          </li>
        ))}
        {variables.map((variable) => (
          <li key={variable.variable_name} className={classes.end}>
            <button
              type="button"
              className={classes.endName}
              onClick={() => show([variableId(variable.variable_name)])}
            >
              <IconBraces size={16} aria-hidden className={classes.endIcon} />
              <span className={classes.endWords}>
                <span className={classes.endTitle}>{variable.variable_name}</span>
                <span className={classes.line}>{wordsOfVariable(variable)}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
