/** The states of versions in words. */
import { t } from '@lingui/core/macro';

export const stateLabels = { draft: t`Draft`, published: t`Published`, archived: t`Archived` };
