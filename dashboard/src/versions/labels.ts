/** The states of versions in words. */
export const stateLabels = { draft: 'Draft', published: 'Published', archived: 'Archived' };
