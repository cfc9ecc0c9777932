import type { TransProps } from '@lingui/react';
import { TransNoContext } from '@lingui/react/server';
import { i18n } from './language.ts';

const lingui = { i18n };

/**
 * What `<Trans>` of `@lingui/react/macro` becomes if it has values or elements: the macro refers to
 * it by `#trans`. The language stays the same, so no context is needed.
 */
export const Trans = ({ values, ...message }: TransProps) => (
  <TransNoContext {...message} {...(values && { values: asTexts(values) })} lingui={lingui} />
);

const asElement = (text: string) => <>{text}</>;

/**
 * Values are put into the message before its tags are read. Names that look like tags must stay as
 * they are, so they are put in as elements.
 */
const asTexts = (values: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' && value.includes('<') ? asElement(value) : value,
    ]),
  );
