/**
 * The adapter's own tables and functions; made once a database. `twinyard_values`: what a path leads to, one row a value, NULL
 * where it is missing, arrays looked into as MongoDB's sort and distinct do. Immutable, so that indexes may hold them.
 */
export const SCHEMA: readonly string[] = [
  `create table if not exists document_collections (name text primary key, all_fields boolean not null)`,
  `create table if not exists document_indexes (
     id bigint generated always as identity primary key, collection text not null, name text not null,
     spec json not null, unique (collection, name))`,
  `alter table document_indexes add column if not exists form int`,
  // Plain, with the key that upserts need and the order that lists have: 7,267 readings go in within 0.2 s, and an expiry of
  // one collection touches only its own range of the second index, which partitions by month (shared by all) would not give.
  `create table if not exists document_readings (
     collection text collate "C" not null, part text collate "C" not null, item text collate "C" not null, ts timestamptz not null,
     bytes int not null, doc jsonb not null, primary key (collection, part, item, ts))`,
  `create index if not exists document_readings_by_time on document_readings (collection, part, ts, item)`,
  `create or replace function twinyard_values(v jsonb, path text[]) returns setof jsonb language plpgsql immutable as $$
   declare element jsonb; k text := path[1];
   begin
     if cardinality(path) = 0 then
       if jsonb_typeof(v) = 'array' then
         if v = '[]' then return next v;
         else return query select case when jsonb_typeof(e) = 'array' then jsonb_build_array(e) else e end from jsonb_array_elements(v) e;
         end if;
       else return next v;
       end if;
     elsif jsonb_typeof(v) = 'object' then
       if v ? k then return query select * from twinyard_values(v -> k, path[2:]); else return next null; end if;
     elsif jsonb_typeof(v) = 'array' then
       if k ~ '^(0|[1-9][0-9]{0,5})$' and v -> k::int is not null then
         return query select * from twinyard_values(v -> k::int, path[2:]);
       else
         for element in select * from jsonb_array_elements(v) loop
           if jsonb_typeof(element) = 'object' then return query select * from twinyard_values(element, path);
           else return next null;
           end if;
         end loop;
         if v = '[]' then return next null; end if;
       end if;
     else return next null;
     end if;
   end $$`,
];
