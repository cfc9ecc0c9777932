/**
 * A text field that suggests how a word goes on: arrow keys choose, Enter or a click takes it,
 * Escape closes the list. What is suggested is the caller's; a taken suggestion replaces the text
 * from `from` to the caret.
 */
import { t } from '@lingui/core/macro';
import { Combobox, Textarea, TextInput, type TextInputProps, useCombobox } from '@mantine/core';
import { type ChangeEvent, useEffect, useRef, useState } from 'react';
import classes from './completion-input.module.css';

export type Suggestion = { insert: string; label: string; hint?: string };
export type Suggestions = { from: number; options: readonly Suggestion[] };

type Props = Omit<TextInputProps, 'value' | 'onChange'> & {
  value: string;
  onChange: (value: string) => void;
  /** For the text before the caret; null where nothing can be suggested. */
  suggest: (before: string) => Suggestions | null;
  /** Over several lines; Enter then begins a line while no suggestion is chosen. */
  isLong?: boolean;
};

const none: readonly Suggestion[] = [];

export function CompletionInput({ value, onChange, suggest, isLong = false, ...rest }: Props) {
  const input = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  const [found, setFound] = useState<Suggestions | null>(null);
  const caret = useRef<number>(undefined);
  const combobox = useCombobox({ onDropdownClose: () => combobox.resetSelectedOption() });
  const options = found?.options ?? none;
  const isOpen = combobox.dropdownOpened && options.length > 0;

  const look = (text: string, at: number | null) => {
    const next = suggest(text.slice(0, at ?? text.length));
    setFound(next);
    if (next && next.options.length > 0) combobox.openDropdown();
    else combobox.closeDropdown();
  };

  // A controlled field puts the caret at its end when its text changes by other ways than typing.
  useEffect(() => {
    if (caret.current === undefined) return;
    input.current?.setSelectionRange(caret.current, caret.current);
    caret.current = undefined;
  });

  const { selectFirstOption } = combobox;
  // The first suggestion is chosen, so that Enter takes it.
  useEffect(() => {
    if (isOpen && options.length > 0) selectFirstOption();
  }, [isOpen, options, selectFirstOption]);

  const take = (insert: string) => {
    const at = input.current?.selectionStart ?? value.length;
    const from = found?.from ?? at;
    caret.current = from + insert.length;
    const after = value.slice(at);
    // What is written already, such as the closing braces, is not written twice.
    const closing = insert.endsWith('}}') && after.startsWith('}}') ? after.slice(2) : after;
    onChange(value.slice(0, from) + insert + closing);
    combobox.closeDropdown();
    input.current?.focus();
  };

  const field = {
    ...rest,
    ref: input,
    value,
    autoComplete: 'off',
    spellCheck: false,
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement & HTMLTextAreaElement>) => {
      onChange(currentTarget.value);
      look(currentTarget.value, currentTarget.selectionStart);
    },
    onBlur: () => combobox.closeDropdown(),
  };
  return (
    <Combobox
      store={combobox}
      onOptionSubmit={(at) => take(options[Number(at)]?.insert ?? '')}
      withinPortal={false}
      position="bottom-start"
    >
      {/* Closed, the arrow keys and Enter are the field's own. Several lines are no combobox. */}
      <Combobox.Target withKeyboardNavigation={isOpen} withExpandedAttribute={!isLong}>
        {isLong ? (
          <Textarea autosize minRows={2} maxRows={10} {...(field as object)} />
        ) : (
          <TextInput {...field} />
        )}
      </Combobox.Target>
      <Combobox.Dropdown hidden={!isOpen}>
        <Combobox.Options className={classes.options} aria-label={t`Suggestions`}>
          {options.map(({ label, hint, insert }, at) => (
            <Combobox.Option value={String(at)} key={insert}>
              <span className={classes.label}>{label}</span>
              {hint && <span className={classes.hint}>{hint}</span>}
            </Combobox.Option>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
