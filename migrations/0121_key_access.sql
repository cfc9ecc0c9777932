-- API keys that may only read.
alter table api_keys
  add column access text not null default 'full' check (access in ('full', 'read'));
