-- Each start of a worker's program is an epoch. Only the newest may take work: a second program
-- with the same identity, as from a copied folder, must not disturb what the first one runs.
alter table workers
  -- The newest epoch that was given out; none is given twice.
  add column last_epoch bigint not null default 0,
  -- Of the program that works now. None: one of a release that knows no epochs.
  add column epoch bigint check (epoch between 1 and last_epoch),
  -- When it said that it ends; none while it runs, or when it ended without a word.
  add column stopped_at timestamptz(3);
