import { Client } from 'pg';

/** Levels of folders below the root. */
export const DEPTH = 8;
/** Folders of the first level; each has two of the next. */
const TOPS = 10;
const FOLDERS = TOPS * (2 ** DEPTH - 1);

/** Ids of what the callers ask for. */
export interface FileTree {
  readonly files: number;
  readonly flat: string;
  readonly flatSize: number;
  readonly moved: string;
  readonly movedSize: number;
  /** A folder that something is moved into. */
  readonly target: string;
  /** Folders at different depths, some within others: they cover a good part of the tree. */
  readonly granted: readonly string[];
  readonly singles: readonly string[];
}

/** The number of an entry becomes its id, so that nobody has to remember 100,000 of them. */
const idOf = (what: string, number: string) => `md5('bench ${what} ' || $1 || ' ' || ${number})::uuid`;

const [FLAT, MOVED] = [FOLDERS + 1, FOLDERS + 2] as const;

/**
 * Folders are numbered as in a heap: the first ten lie at the root, each has two below it, down to the eighth level. Two more follow,
 * one with a tenth of all entries in it and one with a fifth, then the files. By SQL into the service's own tables, with what it would have
 * written beside them: through the API it would take longer than all else, and would measure something else.
 */
const ENTRIES = `CREATE TEMP TABLE bench_entry ON COMMIT DROP AS
  SELECT n AS number, ${idOf('file', 'n')} AS id, ${idOf('version', 'n')} AS version, n > ${MOVED} AS is_file, CASE
    WHEN n <= ${TOPS} OR n IN (${FLAT}, ${MOVED}) THEN NULL
    WHEN n <= ${FOLDERS} THEN (n - ${TOPS} - 1) / 2 + 1
    WHEN n % 10 = 0 THEN ${FLAT}
    WHEN n % 10 < 3 THEN ${MOVED}
    ELSE (n * 7919::bigint % ${FOLDERS})::integer + 1 END AS parent
  FROM generate_series(1, $2::integer) n`;

const AUTHORSHIP = `now(), now(), 'bench', 'bench', 'Bench', 'Bench'`;

const RECORDS = [
  `INSERT INTO file (id, name, type, namespaces, parent_id, tags, status, tip_id, next_version, revision, created_at, updated_at, created_by_id, updated_by_id, created_by_name, updated_by_name)
   SELECT id, CASE WHEN is_file THEN 'Drawing ' || number || (ARRAY['.pdf', '.ifc', '.png', '.txt'])[number % 4 + 1] ELSE 'Folder ' || number END, CASE WHEN is_file THEN 'file' ELSE 'dir' END,
     ARRAY[$1::text], CASE WHEN parent IS NOT NULL THEN ${idOf('file', 'parent')} END, CASE WHEN number % 500 = 0 THEN ARRAY['rare', 'all'] ELSE ARRAY['all'] END,
     'UPLOAD_COMPLETED', CASE WHEN is_file THEN version END, CASE WHEN is_file THEN 2 ELSE 1 END, 1, ${AUTHORSHIP} FROM bench_entry ORDER BY number`,
  `INSERT INTO file_version (id, file_id, number, size, sha256, content_type, blob_key, created_at, updated_at, created_by_id, updated_by_id, created_by_name, updated_by_name)
   SELECT version, id, 1, 1000, repeat('0', 64), 'application/pdf', 'bench/' || id, ${AUTHORSHIP} FROM bench_entry WHERE is_file AND $1::text IS NOT NULL`,
  `INSERT INTO file_count (namespace, type, status, files) SELECT $1, type, status, count(*) FROM file WHERE namespaces = ARRAY[$1::text] GROUP BY type, status`,
  `INSERT INTO file_name_slot (place, name, file_id) SELECT coalesce(parent_id::text, 'root of ' || $1), name, id FROM file WHERE namespaces = ARRAY[$1::text]`,
];

const TREE = `WITH RECURSIVE above AS (
    SELECT id AS ancestor, id AS descendant, 0 AS depth, position FROM file WHERE namespaces = ARRAY[$1::text]
    UNION ALL SELECT file.parent_id, above.descendant, above.depth + 1, above.position FROM above JOIN file ON file.id = above.ancestor WHERE file.parent_id IS NOT NULL
  ) INSERT INTO file_tree (ancestor_id, descendant_id, depth, position) SELECT ancestor, descendant, depth, position FROM above`;

export async function storeFileTree(url: string, namespace: string, entries: number): Promise<FileTree> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN');
    // What refers to what is right by construction; to look each of a million references up would take a minute.
    await client.query('SET LOCAL session_replication_role = replica');
    await client.query(ENTRIES.replaceAll('$1', client.escapeLiteral(namespace)).replace('$2', String(entries)));
    for (const records of [...RECORDS, TREE]) await client.query(records, [namespace]);
    await client.query('COMMIT');
    await client.query('VACUUM ANALYZE file, file_version, file_tree, file_name_slot');
    return await describe(client, namespace, entries);
  } finally {
    await client.end();
  }
}

/** Two folders of the first level, others further down, of which some lie within the first. */
const GRANTED = [1, 2, 15, 40, 90, 200, 400, 900, 1_500, 2_200];
const SINGLES = 500;

async function describe(client: Client, namespace: string, entries: number): Promise<FileTree> {
  const ids = async (numbers: readonly number[]) =>
    (await client.query<{ id: string }>(`SELECT ${idOf('file', 'n')} AS id FROM unnest($2::integer[]) WITH ORDINALITY AS given (n, place) ORDER BY place`, [namespace, numbers])).rows.map(({ id }) => id);
  const below = async (id: string) => Number((await client.query<{ below: string }>('SELECT count(*) AS below FROM file_tree WHERE ancestor_id = $1 AND depth > 0', [id])).rows[0]?.below);
  const [flat = '', moved = '', target = ''] = await ids([FLAT, MOVED, FOLDERS]);
  const step = Math.floor((entries - MOVED) / SINGLES);
  return {
    files: entries, flat, flatSize: await below(flat), moved, movedSize: await below(moved), target,
    granted: await ids(GRANTED), singles: await ids(Array.from({ length: SINGLES }, (_, index) => MOVED + 1 + index * step)),
  };
}
