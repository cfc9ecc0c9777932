/** Connecting by a list from a card: first which of its ports, if it has several. */
import type { EdgeSource, PortOfNode } from '@cogworks/graph/types';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useState } from 'react';
import { Dialog } from '../../../ui/dialog.tsx';
import { ConnectDialog } from '../connections/connect-dialog.tsx';
import { useEditorState } from '../editor.ts';
import { shortTypes } from '../media-words.ts';
import { idIn } from '../selection.ts';
import { titlesOf } from '../step-words.ts';
import classes from './canvas.module.css';

type End = { from: EdgeSource; to?: undefined } | { to: PortOfNode; from?: undefined };

export function ConnectFrom({ card, onClose }: { card: string; onClose: () => void }) {
  const graph = useEditorState((state) => state.graph);
  const definitions = useEditorState((state) => state.definitions);
  const [chosen, setChosen] = useState<End>();
  const input = idIn('input', card);
  if (input !== undefined) return <ConnectDialog from={{ input }} onClose={onClose} />;
  const key = idIn('node', card) ?? '';
  const node = graph.nodes.find((one) => one.key === key);
  const definition = definitions.get(node?.node_definition_id ?? 0);
  const ends: { end: End; words: string; types: string }[] = [
    ...(definition?.outputs ?? []).map(({ name, media_type }) => ({
      end: { from: { node: key, port: name } },
      words: t`From ${name}`,
      types: shortTypes(media_type ? [media_type] : null),
    })),
    ...(definition?.inputs ?? []).map(({ name, media_types }) => ({
      end: { to: { node: key, port: name } },
      words: t`To ${name}`,
      types: shortTypes(media_types),
    })),
  ];
  const end = chosen ?? (ends.length === 1 ? ends[0]?.end : undefined);
  if (end) return <ConnectDialog {...end} onClose={onClose} />;
  const step = titlesOf(graph).get(key) ?? key;
  return (
    <Dialog opened onClose={onClose} title={t`Connect ${step}`}>
      {ends.length === 0 && (
        <Text size="sm">
          <Trans>This step has no ports.</Trans>
        </Text>
      )}
      <ul className={classes.ports}>
        {ends.map(({ end, words, types }, index) => (
          <li key={JSON.stringify(end)}>
            <button
              type="button"
              className={classes.portRow}
              data-autofocus={index === 0 || undefined}
              onClick={() => setChosen(end)}
            >
              {words}
              <Text component="span" size="xs" c="var(--faint)" ml="xs">
                {types}
              </Text>
            </button>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
