import { sortColumns } from '../sort-compiler';

/** The value by which MongoDB sorts a document whose path meets an array: the least element ascending, else the greatest. */
const columns = sortColumns('x');
const by = (order: 'asc' | 'desc') => columns.map((column) => `${column} ${order}`).join(', ');

export const SORT_FUNCTION = `create or replace function twinyard_sort_value(v jsonb, path text[], ascending boolean) returns jsonb
  language plpgsql immutable as $$
  begin
    if ascending then return (select x from twinyard_values(v, path) x order by ${by('asc')} limit 1); end if;
    return (select x from twinyard_values(v, path) x order by ${by('desc')} limit 1);
  end $$`;
