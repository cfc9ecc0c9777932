-- The grants that were on a cog when it was deleted, so that a restoration knows who had what: an array
-- of user_id, level, can_upload, can_share, can_delete, expires_at.
alter table cogs add column ended_grants jsonb;

-- Of what is in the trash now, its owner gets a grant again, as by a restoration until now.
update cogs
set ended_grants = jsonb_build_array(jsonb_build_object('user_id', owner_id, 'level', 'owner'))
where deleted_at is not null and purged_at is null;
