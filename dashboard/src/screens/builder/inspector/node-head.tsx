/** What a node is called, by people and by the graph, and which definition it uses. */

import { isKey } from '@cogworks/graph/checks/names';
import { renameKey, setNodeField } from '@cogworks/graph/edit/edits';
import type { NodeDefinition } from '@cogworks/sdk/contract.gen';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Select, Text, TextInput } from '@mantine/core';
import { IconArrowUp } from '@tabler/icons-react';
import { useState } from 'react';
import { useCatalogue } from '../../../catalogue.ts';
import { fullName, isBuiltIn, offerOfVersion, versionAlone } from '../../../definition-names.ts';
import { useEditor } from '../editor.ts';
import type { FieldEdits } from './field-edits.ts';
import classes from './inspector.module.css';
import { FaultWords, Meaning, Section } from './section.tsx';
import { type NodeProps, useFaultsAt, useIsReadOnly } from './use-node.ts';

export function NodeHead({ node, graph, edits }: NodeProps & { edits: FieldEdits }) {
  const isReadOnly = useIsReadOnly();
  const faults = useFaultsAt(`node:${node.key}`);
  const { key, title } = node;
  const name = title || key;
  return (
    <div className={classes.head}>
      <div data-pointer="/title">
        <TextInput
          label={t`Title`}
          value={title ?? ''}
          placeholder={key}
          readOnly={isReadOnly}
          maxLength={200}
          onChange={({ currentTarget: { value } }) =>
            edits.edit(t`Title of ${name}`, `/title ${key}`, (now) =>
              setNodeField(now, key, 'title', value === '' ? undefined : value),
            )
          }
        />
      </div>
      <div data-pointer="/key">
        <KeyLine nodeKey={key} taken={graph.nodes.map((one) => one.key)} isReadOnly={isReadOnly} />
        <FaultWords>{faults.get('/key')}</FaultWords>
      </div>
    </div>
  );
}

type KeyProps = { nodeKey: string; taken: readonly string[]; isReadOnly: boolean };

function KeyLine({ nodeKey, taken, isReadOnly }: KeyProps) {
  const editor = useEditor();
  const [wish, setWish] = useState<string>();
  if (wish === undefined) {
    return (
      <Text size="xs" c="var(--faint)" className={classes.key}>
        <Trans>
          Key <code>{nodeKey}</code>
        </Trans>
        {!isReadOnly && (
          <>
            {' · '}
            <Anchor component="button" type="button" size="xs" onClick={() => setWish(nodeKey)}>
              <Trans>Change the key</Trans>
            </Anchor>
          </>
        )}
      </Text>
    );
  }
  const problem = problemOf(wish, nodeKey, taken);
  const save = () => {
    editor.edit(t`Key ${nodeKey} is now ${wish}`, (now) => renameKey(now, nodeKey, wish));
    editor.select([`node:${wish}`]);
    setWish(undefined);
  };
  return (
    <form
      className={classes.keyForm}
      onSubmit={(event) => {
        event.preventDefault();
        if (problem === undefined && wish !== nodeKey) save();
      }}
    >
      <TextInput
        size="sm"
        label={t`Key`}
        description={t`Runs, comparisons of versions and results know the step by its key. With another one it is a new step to them.`}
        value={wish}
        error={problem}
        onChange={(event) => setWish(event.currentTarget.value)}
        data-autofocus
      />
      <Group gap="xs">
        <Button
          type="submit"
          size="compact-sm"
          disabled={problem !== undefined || wish === nodeKey}
        >
          <Trans>Change</Trans>
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => setWish(undefined)}>
          <Trans>Cancel</Trans>
        </Button>
      </Group>
    </form>
  );
}

function problemOf(wish: string, nodeKey: string, taken: readonly string[]): string | undefined {
  if (!isKey(wish)) return t`A key is a letter, then at most 63 letters, digits, _ or -.`;
  return wish !== nodeKey && taken.includes(wish) ? t`Another step has this key.` : undefined;
}

/** Which definition, in which version, and whether there is a newer one. */
export function DefinitionSection({ node }: NodeProps) {
  const editor = useEditor();
  const isReadOnly = useIsReadOnly();
  const { data: catalogue = [] } = useCatalogue();
  const faults = useFaultsAt(`node:${node.key}`);
  const current = catalogue.find(({ id }) => id === node.node_definition_id);
  const versions = versionsOf(catalogue, current);
  const [newest] = versions;
  const use = (id: number) => {
    const chosen = versions.find((one) => one.id === id);
    if (!chosen) return;
    const name = node.title || node.key;
    const { title: definition } = chosen;
    const version = versionAlone(chosen);
    const words = isBuiltIn(chosen)
      ? t`${name} uses ${definition} of ${version}`
      : t`${name} uses ${definition} ${version}`;
    editor.edit(words, (now) => setNodeField(now, node.key, 'node_definition_id', id));
  };
  return (
    <Section title={t`What it does`} pointer="/node_definition_id">
      {current ? (
        <>
          <Text size="sm" className={classes.text}>
            <b>{current.title || current.name}</b>{' '}
            <span className={classes.faint} title={fullName(current)}>
              {isBuiltIn(current) ? (
                <Trans>built in</Trans>
              ) : (
                <Trans>version {current.version}</Trans>
              )}
            </span>
          </Text>
          {current.description && <Meaning>{current.description}</Meaning>}
        </>
      ) : (
        <Text size="sm">
          <Trans>Its definition is not in the catalogue.</Trans>
        </Text>
      )}
      <FaultWords>{faults.get('/node_definition_id')}</FaultWords>
      {current && newest && newest.id !== current.id && !isReadOnly && (
        <div className={classes.news}>
          <span>
            <Trans>There is a newer version.</Trans>
          </span>
          <Button
            size="compact-sm"
            variant="light"
            leftSection={<IconArrowUp size={14} />}
            onClick={() => use(newest.id)}
          >
            {offerOfVersion(newest)}
          </Button>
        </div>
      )}
      {current && versions.length > 2 && !isReadOnly && (
        <Select
          label={t`Version`}
          size="sm"
          mt="xs"
          data={versions.map((one) => ({ value: String(one.id), label: versionAlone(one) }))}
          value={String(current.id)}
          allowDeselect={false}
          onChange={(value) => value && use(Number(value))}
          comboboxProps={{ withinPortal: false }}
        />
      )}
    </Section>
  );
}

/** All versions of a definition, the newest first. */
function versionsOf(catalogue: readonly NodeDefinition[], current: NodeDefinition | undefined) {
  return catalogue
    .filter(({ name, scope }) => name === current?.name && scope === current.scope)
    .toSorted((a, b) => b.id - a.id);
}
