-- What the program called an output whose name could not be kept, spelled out in plain text.
alter table node_run_outputs add column renamed_from text;
