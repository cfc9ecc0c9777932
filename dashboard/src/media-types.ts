/** Media types that fields offer; any other may be typed. */
export const usualTypes: readonly string[] = [
  ...['application/pdf', 'image/*', 'image/png', 'image/jpeg', 'text/*', 'text/plain', 'text/csv'],
  ...['application/json', 'audio/*', 'video/*', 'application/zip'],
];
