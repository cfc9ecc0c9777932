-- A trigger whose firing fails in the service is tried again after a pause (retry_at, as after refusals of new files), so
-- that a hundred of them do not hold up all others.
alter table triggers add column failures int not null default 0;
create index triggers_failing on triggers (id) where enabled and failures > 0;

-- When a trigger fired last, however often it was refused or skipped since.
create index firings_fired on firings (tenant_id, trigger_id, id) where state = 'fired';
