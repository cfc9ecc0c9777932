-- Files that came out of a run are read in pages, in the order they came. Those that went in have an
-- index for that already; an index for both would cost each start an entry for each of its files.
create index run_files_that_came_out on run_files (tenant_id, run_id, id)
  where direction = 'output';
