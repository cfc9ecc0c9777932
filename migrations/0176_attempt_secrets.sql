-- Which version of each secret an attempt got. By name, because secrets are deleted; the versions of
-- a deleted one that is made again begin anew, so its id tells them apart.
create table attempt_secrets (
  tenant_id   bigint not null references tenants,
  attempt_id  bigint not null references attempts on delete cascade,
  node_run_id bigint not null,
  secret_id   bigint not null,
  name        text not null,
  version     int not null check (version > 0),

  primary key (attempt_id, secret_id)
);
create index attempt_secrets_by_node_run on attempt_secrets (tenant_id, node_run_id, attempt_id);
