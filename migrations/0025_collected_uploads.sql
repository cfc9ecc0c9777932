-- An upload that no report claimed goes with its object. Without this, the first one kept the
-- collector from removing anything at all.
alter table attempt_uploads
  drop constraint attempt_uploads_tenant_id_object_id_fkey,
  add foreign key (tenant_id, object_id) references objects (tenant_id, id) on delete cascade;

-- The collector deletes by object; the primary key begins with the attempt.
create index attempt_uploads_by_object on attempt_uploads (tenant_id, object_id);
