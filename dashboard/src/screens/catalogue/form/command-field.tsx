/** The command: one field for each argument, since no shell splits it. */
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Textarea } from '@mantine/core';
import { type KeyboardEvent, useRef } from 'react';
import { flushSync } from 'react-dom';
import { type Form, keyed } from './definition-form.ts';
import type { Editing } from './editing.ts';
import classes from './form.module.css';
import { RowList } from './row-list.tsx';

/** Examples of what is replaced. */
const path = '{{inputs.file.path}}';
const width = '{{params.width}}';
const stem = '{{file.stem}}';

export function CommandField({ form, change, fault }: Editing) {
  const { command } = form;
  const box = useRef<HTMLDivElement>(null);
  /** At once: the next key may come before the page is drawn. */
  const put = (rows: Form['command'], focused: number) => {
    flushSync(() => change({ command: rows }));
    box.current?.querySelectorAll<HTMLElement>('textarea:not([aria-hidden])')[focused]?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>, index: number) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      put(command.toSpliced(index + 1, 0, keyed({ text: '' })), index + 1);
    }
    if (event.key === 'Backspace' && command[index]?.text === '' && command.length > 1) {
      event.preventDefault();
      put(command.toSpliced(index, 1), Math.max(0, index - 1));
    }
  };
  return (
    <div ref={box}>
      <p className={classes.about}>
        <Trans>
          One field for each argument: no shell splits them. Enter begins the next, Shift+Enter a
          new line. <code>{path}</code>, <code>{width}</code> and <code>{stem}</code> are replaced.
        </Trans>
      </p>
      <RowList
        rows={command}
        words={{ add: t`Add an argument`, remove: (number) => t`Remove argument ${number}` }}
        least={1}
        onChange={(rows) => change({ command: rows })}
        onNew={() => keyed({ text: '' })}
      >
        {({ text }, index, changeRow) => (
          <Textarea
            className={classes.wide}
            classNames={{ input: classes.code ?? '' }}
            aria-label={index === 0 ? t`Program` : t`Argument ${index}`}
            placeholder={index === 0 ? t`Program, such as convert` : ''}
            autosize
            minRows={1}
            maxRows={14}
            spellCheck={false}
            value={text}
            error={fault(`command.${index}`) ?? (index === 0 ? fault('command') : undefined)}
            onChange={(event) => changeRow({ text: event.currentTarget.value })}
            onKeyDown={(event) => onKeyDown(event, index)}
          />
        )}
      </RowList>
    </div>
  );
}
