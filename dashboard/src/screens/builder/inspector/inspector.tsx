/** The settings of what is selected. */
import { edgeId } from '@cogworks/graph/edit/changes';
import { disconnect, removeNodes, removeNote, setNote } from '@cogworks/graph/edit/edits';
import { roleOf } from '@cogworks/graph/lanes';
import { lookUp } from '@cogworks/graph/lookup';
import type { GraphEdge, GraphNote } from '@cogworks/graph/types';
import { plural, t } from '@lingui/core/macro';
import { Plural, Trans } from '@lingui/react/macro';
import { Text, Textarea } from '@mantine/core';
import { IconUnlink } from '@tabler/icons-react';
import { useEditorState } from '../editor.ts';
import { isFrame } from '../notes/frames.ts';
import { NoteSteps } from '../notes/note-steps.tsx';
import { ShapePanel } from '../shape/shape-panel.tsx';
import { edgeMeaning, sourceWords } from '../step-words.ts';
import { DeleteButton } from './delete-button.tsx';
import { useFieldEdits } from './field-edits.ts';
import classes from './inspector.module.css';
import { NodeInspector } from './node-inspector.tsx';
import { Ratio } from './ports-section.tsx';
import { FaultWords, Hints, Meaning } from './section.tsx';
import { useDefinitions, useFaultsAt, useGraph, useIsReadOnly, useTitles } from './use-node.ts';

export function Inspector() {
  const selection = useEditorState((state) => state.selection);
  const graph = useGraph();
  const [id = ''] = selection;
  if (selection.size > 1) return <Several selection={selection} />;
  const name = id.slice(id.indexOf(':') + 1);
  const node = id.startsWith('node:') && graph.nodes.find(({ key }) => key === name);
  if (node) return <NodeInspector key={node.key} node={node} />;
  const edge = id.startsWith('edge:') && graph.edges.find((one) => edgeId(one) === name);
  if (edge) return <EdgeInspector key={name} edge={edge} />;
  const note = id.startsWith('note:') && graph.notes?.find((one) => one.id === name);
  if (note) return <NoteInspector key={name} note={note} />;
  return <ShapePanel />;
}

function EdgeInspector({ edge }: { edge: GraphEdge }) {
  const graph = useGraph();
  const definitions = useDefinitions();
  const titles = useTitles(graph);
  const edits = useFieldEdits();
  const id = `edge:${edgeId(edge)}`;
  const faults = useFaultsAt(id);
  const role = roleOf(edge, lookUp(graph, definitions));
  const source = sourceWords(edge.from, titles);
  const { node, port } = edge.to;
  const target = titles.get(node) ?? node;
  return (
    <div className={classes.inspector} data-entity={id} onFocusCapture={edits.onFocusCapture}>
      <h2 className={classes.kind}>
        <Trans>Connection</Trans>
      </h2>
      <Text className={classes.name}>
        <Trans>
          {source} → {port} of {target}
        </Trans>
      </Text>
      <Meaning>{edgeMeaning(edge, role)}</Meaning>
      <FaultWords>{faults.get('')}</FaultWords>
      {role === 'gather' && (
        <div className={classes.block}>
          <Ratio edge={edge} graph={graph} edits={edits} />
        </div>
      )}
      <DeleteButton
        words={t`Disconnected ${source} from ${target}`}
        change={(now) => disconnect(now, edge)}
        icon={<IconUnlink size={15} />}
        className={classes.actions}
      >
        <Trans>Disconnect</Trans>
      </DeleteButton>
    </div>
  );
}

function NoteInspector({ note }: { note: GraphNote }) {
  const edits = useFieldEdits();
  const isReadOnly = useIsReadOnly();
  const id = `note:${note.id}`;
  const faults = useFaultsAt(id);
  return (
    <div className={classes.inspector} data-entity={id} onFocusCapture={edits.onFocusCapture}>
      <h2 className={classes.kind}>{isFrame(note) ? t`Frame` : t`Note`}</h2>
      <div data-pointer="/text">
        <Textarea
          label={t`Text`}
          description={t`Markdown. It has no part in what the workflow does.`}
          autosize
          minRows={4}
          maxRows={20}
          value={note.text}
          readOnly={isReadOnly}
          error={[...faults.values()].join(' ') || undefined}
          onChange={({ currentTarget: { value } }) =>
            edits.edit(t`Text of a note`, `/text ${note.id}`, (now) =>
              setNote(now, note.id, { text: value }),
            )
          }
        />
        <Hints id={id} />
      </div>
      <div data-pointer="/node_keys" className={classes.block}>
        <NoteSteps
          keys={note.node_keys ?? []}
          isReadOnly={isReadOnly}
          onChange={(node_keys) =>
            edits.edit(t`Steps in a frame`, `/node_keys ${note.id}`, (now) =>
              setNote(now, note.id, { node_keys }),
            )
          }
        />
      </div>
      <DeleteButton
        words={t`Deleted a note`}
        change={(now) => removeNote(now, note.id)}
        className={classes.actions}
      >
        <Trans>Delete</Trans>
      </DeleteButton>
    </div>
  );
}

function Several({ selection }: { selection: ReadonlySet<string> }) {
  const graph = useGraph();
  const titles = useTitles(graph);
  const keys = [...selection].flatMap((id) => (id.startsWith('node:') ? [id.slice(5)] : []));
  return (
    <div className={classes.inspector}>
      <h2 className={classes.kind}>
        <Plural value={selection.size} one="# thing selected" other="# things selected" />
      </h2>
      <ul className={classes.names}>
        {keys.slice(0, 20).map((key) => (
          <li key={key}>{titles.get(key) ?? key}</li>
        ))}
      </ul>
      {keys.length > 0 && (
        <DeleteButton
          words={plural(keys.length, { one: 'Deleted # step', other: 'Deleted # steps' })}
          change={(now) => removeNodes(now, keys)}
          className={classes.actions}
        >
          <Plural value={keys.length} one="Delete # step" other="Delete # steps" />
        </DeleteButton>
      )}
    </div>
  );
}
