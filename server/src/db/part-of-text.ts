/** The pattern of `ilike` for texts that contain this one. Its own wildcards mean themselves. */
export const partOfText = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;
