-- A session that has ended keeps its row until it would have expired: a request that was under way
-- when it ended writes it once more, and must not bring it back.
alter table identity_states add column ended_at timestamptz(3);
