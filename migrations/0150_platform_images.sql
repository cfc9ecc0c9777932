-- Images that the installation makes itself for the templates it ships (docs/templates.md). A tenant without users has
-- them in its registry, for everybody to pull, and a row for each says how far it is.
alter table tenants add column is_platform boolean not null default false;
create unique index tenants_one_platform on tenants (is_platform) where is_platform;

-- Null: the installation made it.
alter table registry_manifests alter column created_by drop not null;
alter table registry_tags alter column created_by drop not null;

create table platform_images (
  name       text collate "C" not null check (length(name) between 1 and 100),
  -- Made of the recipe: another recipe is another image.
  tag        text collate "C" not null check (tag ~ '^[0-9a-f]{12}$'),
  state      text not null check (state in ('wanted', 'building', 'ready', 'failed')),
  -- What is being done, or why it failed.
  step       text check (length(step) <= 1000),
  digest     text,
  size_bytes bigint,
  -- A build that does not touch it for a while has died.
  updated_at timestamptz(3) not null default now(),

  primary key (name, tag),
  constraint ready_images_are_stored check ((state = 'ready') = (digest is not null))
);

-- The templates of this release: they follow it.
alter table workflow_templates
  add column shipped_as text,
  add constraint shipped_templates_are_for_all check (shipped_as is null or tenant_id is null);
create unique index workflow_templates_shipped_once on workflow_templates (shipped_as);
