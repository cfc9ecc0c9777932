-- What a file was made from, and what was made from it.

-- Which version of a file went into a run. Null for files that came out, which are always the first
-- version of a new file, and for runs from before this was recorded: then the bytes tell it.
alter table run_files add column version int check (version >= 1);

-- Which run made some bytes. The bytes of an input may have gone into any number of runs.
drop index run_files_by_object;
create index run_files_by_object on run_files (object_id, direction, id);
-- The runs that a file went into.
create index run_files_that_went_in on run_files (cog_id, run_id) where direction = 'input';
-- What was made from one lane of a run of ten thousand.
create index run_files_of_node_run on run_files (node_run_id, id) where direction = 'output';
