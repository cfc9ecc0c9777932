/** What is wrong with the graph, by what it is about: each leads to its field, some mend themselves. */
import { mendsFor } from '@cogworks/graph/edit/mends';
import type { Fault } from '@cogworks/graph/types';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle, IconX } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useSetAddress } from '../address.ts';
import { useEditor, useEditorState } from '../editor.ts';
import { isHint } from './check.ts';
import classes from './faults.module.css';
import { MendButtons } from './mend-buttons.tsx';
import { groupsOf, placeOf } from './places.ts';
import { useShowField } from './show-field.ts';

export function FaultsPanel() {
  const setAddress = useSetAddress();
  const faults = useEditorState((state) => state.faults);
  const isChecked = useEditorState((state) => state.isChecked);
  const graph = useEditorState((state) => state.graph);
  const groups = useMemo(() => groupsOf(faults, graph), [faults, graph]);
  const hints = faults.filter(isHint).length;
  const errors = faults.length - hints;
  return (
    <div className={classes.panel}>
      <header className={classes.head}>
        <Title order={2} size="sm" tabIndex={-1} data-faults-title>
          {isChecked ? wordsOf(errors, hints) : t`Not checked yet`}
        </Title>
        {faults.length > 0 && (
          <Text size="xs" c="var(--faint)" visibleFrom="sm">
            <Trans>
              <kbd>F8</kbd> next, <kbd>Shift F8</kbd> previous
            </Trans>
          </Text>
        )}
        <ActionIcon
          className={classes.close}
          aria-label={t`Close the list of faults`}
          onClick={() => setAddress({ panel: undefined })}
        >
          <IconX size={17} />
        </ActionIcon>
      </header>
      {isChecked && groups.length === 0 && (
        <p className={classes.none}>
          <IconCircleCheck size={18} aria-hidden /> <Trans>This workflow can be published.</Trans>
        </p>
      )}
      {groups.map(({ id = 'workflow', title, faults: own }) => (
        <section key={id} className={classes.group} aria-label={title}>
          <h3 className={classes.title}>{title}</h3>
          <ul className={classes.list}>
            {own.map((fault) => (
              <FaultRow key={`${fault.code} ${fault.pointer} ${fault.message}`} fault={fault} />
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function wordsOf(errors: number, hints: number): string {
  if (errors === 0 && hints === 0) return t`No faults`;
  const parts = [
    ...(errors > 0 ? [plural(errors, { one: '# fault', other: '# faults' })] : []),
    ...(hints > 0 ? [plural(hints, { one: '# hint', other: '# hints' })] : []),
  ];
  return parts.join(', ');
}

/** Further ones are in the settings of the step. */
const mostMends = 3;

function FaultRow({ fault }: { fault: Fault }) {
  const editor = useEditor();
  const show = useShowField();
  const hint = isHint(fault);
  const isReadOnly = useEditorState((state) => state.isReadOnly);
  const mends = useMemo(() => {
    const { graph, definitions } = editor.getState();
    return mendsFor(fault, graph, definitions).slice(0, mostMends);
  }, [editor, fault]);
  return (
    <li className={classes.row} data-hint={hint || undefined}>
      <button
        type="button"
        className={classes.words}
        onClick={() => show(placeOf(fault, editor.getState().graph))}
      >
        {hint ? (
          <IconInfoCircle size={16} className={classes.icon} role="img" aria-label={t`Hint:`} />
        ) : (
          <IconAlertTriangle size={16} className={classes.icon} role="img" aria-label={t`Fault:`} />
        )}
        <span>{fault.message}</span>
      </button>
      {!isReadOnly && mends.length > 0 && (
        <span className={classes.mends}>
          <MendButtons
            mends={mends}
            // The row will be gone.
            onDone={() => document.querySelector<HTMLElement>('[data-faults-title]')?.focus()}
          />
        </span>
      )}
    </li>
  );
}
