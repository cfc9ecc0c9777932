-- Lists of any length, by what they are filtered by. A part of a text is looked for by its trigrams, in the tenant;
-- few are written, so that there need be no list of what is still to be indexed, which every search would read.
create index users_by_part on users
  using gin (tenant_id, (first_name || ' ' || last_name || ' ' || email) gin_trgm_ops) with (fastupdate = off);
create index tenants_by_part on tenants using gin (name gin_trgm_ops) with (fastupdate = off);
create index workflow_templates_by_part on workflow_templates
  using gin (tenant_id, (name || ' ' || description) gin_trgm_ops) with (fastupdate = off);
create index workflow_templates_by_category on workflow_templates (tenant_id, category, id);
create index notices_by_workflow on notices (tenant_id, workflow_id, id);
