-- Whether somebody started a run of a trigger by hand: the ticks of its schedule do not mind such a run.
create index firings_by_hand on firings (tenant_id, trigger_id, run_id) where source = 'hand';
