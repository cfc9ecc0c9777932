-- What a graph does: without its notes, and without titles and positions of its nodes (graph/src/hash.ts).
create function logic_of(graph jsonb) returns jsonb language sql immutable as $$
  select (graph - 'notes') || jsonb_build_object('nodes', (
    select coalesce(jsonb_agg(node - 'title' - 'position' order by place), '[]')
    from jsonb_array_elements(graph->'nodes') with ordinality as each (node, place)
  ))
$$;

-- A number as ECMAScript writes it.
create function canonical_number(given jsonb) returns text
language plpgsql immutable set extra_float_digits = 1 as $$
declare
  written text := given #>> '{}';
  parts text[];
  digits text;
  -- How many of the digits are before the decimal point; less than 0 for zeros after it.
  point int;
begin
  -- Servers wrote the graphs, with the digits that ECMAScript chooses, at most 17. PostgreSQL chooses others
  -- for a few numbers, as for 1e23.
  if length(trim('0' from translate(written, '-.', ''))) > 17 then
    written := written::float8::text;
  end if;
  parts := regexp_match(written, '^-?(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$');
  digits := parts[1] || coalesce(parts[2], '');
  point := length(parts[1]) + coalesce(parts[3], '0')::int - length(digits);
  digits := ltrim(digits, '0');
  point := point + length(digits);
  digits := rtrim(digits, '0');
  if digits = '' then
    return '0';
  end if;
  return case when written like '-%' then '-' else '' end || case
    when point > 21 or point < -5 then
      left(digits, 1) || case when length(digits) > 1 then '.' || substr(digits, 2) else '' end
      || case when point > 0 then 'e+' else 'e-' end || abs(point - 1)
    when point >= length(digits) then digits || repeat('0', point - length(digits))
    when point > 0 then left(digits, point) || '.' || substr(digits, point + 1)
    else '0.' || repeat('0', -point) || digits
  end;
end $$;

-- A text whose order by code points is that of the key by UTF-16 code units: those of a pair come before
-- U+E000, but the characters they stand for come after it.
create function order_of_key(key text) returns text language sql immutable as $$
  select string_agg(case
    when code < 57344 then letter
    when code < 65536 then chr(196608 + code)
    else chr(131072 + ((code - 65536) >> 10)) || chr(131072 + ((code - 65536) & 1023))
  end, '' order by place)
  from regexp_split_to_table(key, '') with ordinality as each (letter, place), ascii(letter) as code
$$;

-- RFC 8785, as canonicalJson of graph/src/hash.ts writes it. What most values are is decided first, because
-- each call of a function takes longer than that.
create function canonical_json(given jsonb) returns text language plpgsql immutable as $$
declare
  kind text := jsonb_typeof(given);
begin
  if kind = 'object' then
    return (
      select '{' || coalesce(string_agg(
        to_jsonb(key)::text || ':'
          || case when jsonb_typeof(member) = 'string' then member::text else canonical_json(member) end,
        ',' order by case when key ~ '^[ -~]*$' then key else order_of_key(key) end collate "C"
      ), '') || '}'
      from jsonb_each(given) as each (key, member)
    );
  elsif kind = 'array' then
    return (
      select '[' || coalesce(string_agg(canonical_json(member), ',' order by place), '') || ']'
      from jsonb_array_elements(given) with ordinality as each (member, place)
    );
  elsif kind = 'number' and given::text !~ '^-?[1-9]\d{0,14}$' then
    return canonical_number(given);
  end if;
  return given::text;
end $$;

create function logic_hash_of(graph jsonb) returns text language sql immutable as $$
  select encode(sha256(convert_to(canonical_json(logic_of(graph)), 'UTF8')), 'hex')
$$;

-- Hashing takes milliseconds for each graph: it is done before the table is locked, which servers of the
-- release before may still use. A draft that changes meanwhile has another graph_hash.
create temporary table hashed_versions on commit drop as
  select id, graph_hash, logic_hash_of(graph) as logic_hash from workflow_versions;
analyze hashed_versions;

alter table workflow_versions add column logic_hash text;
update workflow_versions
set logic_hash = hashed.logic_hash
from hashed_versions as hashed
where hashed.id = workflow_versions.id and hashed.graph_hash = workflow_versions.graph_hash;
update workflow_versions set logic_hash = logic_hash_of(graph) where logic_hash is null;
alter table workflow_versions alter column logic_hash set not null;

alter table workflow_templates add column logic_hash text;
update workflow_templates set logic_hash = logic_hash_of(graph);
alter table workflow_templates alter column logic_hash set not null;

-- Servers of the release before do not write this hash, and may still be running.
create function keep_logic_hash() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.logic_hash is distinct from old.logic_hash or logic_of(new.graph) = logic_of(old.graph) then
      return new;
    end if;
  elsif new.logic_hash is not null then
    return new;
  end if;
  new.logic_hash := logic_hash_of(new.graph);
  return new;
end $$;

create trigger logic_hashes_follow_graphs
  before insert or update of graph on workflow_versions
  for each row execute function keep_logic_hash();

create trigger logic_hashes_follow_graphs
  before insert or update of graph on workflow_templates
  for each row execute function keep_logic_hash();
