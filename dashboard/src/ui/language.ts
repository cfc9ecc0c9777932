/**
 * The language of the page. A build has the texts of one language in its code
 * (docs/translations.md), so it is known at once and stays the same.
 */
import { setupI18n } from '@lingui/core';
import { t } from '@lingui/core/macro';

/** Of numbers and dates. Names are in the order of the service, in every language. */
export const locale: string = t({
  message: 'en-GB',
  comment: 'The tag of the language and its region, such as de-DE or pt-BR',
});

/** Puts values into texts that have such: the macros refer to it by `#language`. */
export const i18n = setupI18n({ locale, messages: { [locale]: {} } });
