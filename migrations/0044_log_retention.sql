-- Logs go some time after their run has ended, and earlier where a tenant has too many of them.
-- How much an attempt has written is counted when it ends; nothing else adds up a tenant's logs.
alter table attempts add column log_bytes bigint not null default 0;
alter table attempts add column logs_removed_at timestamptz(3);

update attempts
set log_bytes = logs.bytes
from (
  select tenant_id, attempt_id, max(start_offset + octet_length(bytes)) as bytes
  from attempt_logs
  group by tenant_id, attempt_id
) as logs
where attempts.tenant_id = logs.tenant_id and attempts.id = logs.attempt_id
  and attempts.status not in ('leased', 'running');

create index attempts_with_logs on attempts (tenant_id, id) include (run_id, log_bytes) where log_bytes > 0;
