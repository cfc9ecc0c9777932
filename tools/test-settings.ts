/** Settings of the tests' database: it does not sync, because test data may be lost in a power cut. */
export const throwAwaySettings = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_connections: '300',
};
