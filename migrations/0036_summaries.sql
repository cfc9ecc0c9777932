-- Lists tell what there is without reading it: a thousand graphs or definitions can be gigabytes.
alter table workflow_versions
  add column node_count  int generated always as (jsonb_array_length(graph->'nodes')) stored,
  add column input_count int generated always as (jsonb_array_length(graph->'inputs')) stored;

-- What a definition brings into an answer or into the check of a graph.
alter table node_definitions
  add column size_bytes int generated always as (
    octet_length(title) + octet_length(description) + octet_length(category)
    + octet_length(command::text) + octet_length(env::text) + octet_length(inputs::text)
    + octet_length(outputs::text) + octet_length(params::text) + octet_length(retry::text)
  ) stored;
