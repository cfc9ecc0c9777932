-- Which token enrolled a worker: whoever made the token sees which worker came of it.
alter table workers add column enrollment_token_id bigint references enrollment_tokens;
