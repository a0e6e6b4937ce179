/** Bytes of a document, or of texts, below which their words always fit into one vector of PostgreSQL (1 MB): with their places they take four times as much at most. */
export const FEW_BYTES = 250_000;
/** Characters that are looked at together where they are: a vector holds whatever words they have. */
const PIECE = 50_000;
/** The pieces share so many, so that a phrase which lies on the edge of two is found in one. */
const SHARED = 1_000;

/** So that the planner asks the index even where there are few documents: it knows nothing of their length. */
const COST = 10_000;

/** In the place of the words of a document that has too many; no word of a text has a space in it. */
export const TOO_MANY_WORDS = `'too many words'`;

/**
 * So that an index narrows nothing (contract 2.5): an entry of PostgreSQL has some 2,700 bytes at most. `twinyard_index_key`: of a value on an
 * indexed path what its index holds. Short texts and all other scalars are themselves; a longer text is its digest in an object, a list its digest
 * in a list, an object its digest in an object, so that a digest is never taken for a value of another kind. NULL stays NULL.
 * `twinyard_words`: the words of all texts in an array, or the sign that there are too many for an index; then `twinyard_has_words` looks at the
 * texts themselves. `wanted`: one of them, or `every` one; none of `unwanted`. All immutable, so that indexes may hold them.
 */
export const INDEX_FUNCTIONS: readonly string[] = [
  `create or replace function twinyard_index_key(v jsonb, longest int) returns jsonb language plpgsql immutable strict parallel safe as $$
   declare kind text := jsonb_typeof(v); content text; digest text;
   begin
     if kind not in ('string', 'array', 'object') then return v; end if;
     content := v #>> '{}';
     if kind = 'string' and octet_length(content) <= longest then return v; end if;
     digest := encode(sha256(convert_to(content, 'UTF8')), 'hex');
     return case kind when 'string' then jsonb_build_object('text', digest) when 'array' then jsonb_build_array(digest) else jsonb_build_object('object', digest) end;
   end $$`,
  `create or replace function twinyard_words(language text, texts jsonb) returns tsvector language plpgsql immutable strict cost ${COST} as $$
   begin
     if pg_column_size(texts) < ${FEW_BYTES} then return jsonb_to_tsvector(language::regconfig, texts, '["string"]'); end if;
     begin
       return jsonb_to_tsvector(language::regconfig, texts, '["string"]');
     exception when program_limit_exceeded then
       return $sign$${TOO_MANY_WORDS}$sign$::tsvector;
     end;
   end $$`,
  `create or replace function twinyard_has_words(language text, texts jsonb, wanted tsquery[], every boolean, unwanted tsquery[]) returns boolean language plpgsql immutable cost ${COST} as $$
   declare content text; piece text; words tsvector; place int; query tsquery;
     found boolean[] := array_fill(false, array[cardinality(wanted)]);
   begin
     -- A phrase of words that say nothing is everywhere.
     for number in 1 .. cardinality(wanted) loop
       found[number] := every and numnode(wanted[number]) = 0;
     end loop;
     for content in select one #>> '{}' from jsonb_path_query(texts, 'strict $.** ? (@.type() == "string")') one loop
       place := 1;
       while place <= length(content) loop
         piece := substr(content, place, ${PIECE});
         -- A word that is cut is left to the piece that holds it whole.
         if place + ${PIECE} <= length(content) then piece := left(piece, length(piece) - length(substring(right(piece, ${SHARED}) from '\\S*$'))); end if;
         if place > 1 then piece := substr(piece, 1 + length(substring(left(piece, ${SHARED}) from '^\\S*'))); end if;
         words := to_tsvector(language::regconfig, piece);
         foreach query in array unwanted loop
           if words @@ query then return false; end if;
         end loop;
         for number in 1 .. cardinality(wanted) loop
           if words @@ wanted[number] then found[number] := true; end if;
         end loop;
         place := place + ${PIECE} - 2 * ${SHARED};
       end loop;
     end loop;
     return case when every then true = all(found) else true = any(found) end;
   end $$`,
];
