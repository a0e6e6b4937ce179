import { Access, type NamespaceScope } from '@twinyard/auth';
import { type FileFilter, parseFileFilter } from '../src/files/file-filter';
import { FileListRepository } from '../src/files/file-list.repository';
import { FilesvcUnderTest, NS } from './filesvc-under-test';

const FOLDERS = 200;
const ENTRIES = 20_000;
const idOf = (number: number | string) => `md5('planned ' || ${number})::uuid`;

/** One folder at the root, the others in it, files in these. */
const STORE = [
  `INSERT INTO file (id, name, type, namespaces, parent_id, tags, status, next_version, revision, created_at, updated_at, created_by_id, updated_by_id)
   SELECT ${idOf('n')}, 'name ' || n, CASE WHEN n <= ${FOLDERS} THEN 'dir' ELSE 'file' END, '{${NS}}', CASE WHEN n = 1 THEN NULL WHEN n <= ${FOLDERS} THEN ${idOf(1)} ELSE ${idOf(`(n % (${FOLDERS} - 1) + 2)`)} END,
     CASE WHEN n % 1000 = 0 THEN '{all,rare}'::text[] ELSE '{all}' END, 'UPLOAD_COMPLETED', 1, 1, now(), now(), 'test', 'test' FROM generate_series(1, ${ENTRIES}) n`,
  `WITH RECURSIVE above AS (
     SELECT id AS ancestor, id AS descendant, 0 AS depth, position FROM file
     UNION ALL SELECT file.parent_id, above.descendant, above.depth + 1, above.position FROM above JOIN file ON file.id = above.ancestor WHERE file.parent_id IS NOT NULL
   ) INSERT INTO file_tree (ancestor_id, descendant_id, depth, position) SELECT ancestor, descendant, depth, position FROM above`,
];

/** What the planner does with the statements of lists of many files. */
describe('lists are read from indexes', () => {
  let filesvc: FilesvcUnderTest;
  const ids: string[] = [];
  beforeAll(async () => {
    filesvc = await FilesvcUnderTest.start();
    for (const sql of STORE) await filesvc.query(sql);
    await filesvc.query('VACUUM ANALYZE file, file_tree, file_version');
    const rows = await filesvc.query<{ id: string }>(`SELECT ${idOf('n')} AS id FROM generate_series(1, ${ENTRIES}) n`);
    ids.push(...rows.map(({ id }) => id));
  });
  afterAll(() => filesvc?.stop());

  const grantOn = (id: string) => ({ permissionId: id, namespace: NS, actions: ['READ' as const], irn: `filesvc:file:${id}`, via: { type: 'user' as const, id: 'u' } });
  const scopeOf = (granted: readonly string[]): NamespaceScope =>
    new Access({ active: true, platformManager: false, groupIds: [], grants: granted.map(grantOn) }, ['read'], [NS]).scope('READ', 'filesvc:file');
  const planOf = async (granted: readonly string[], filter: FileFilter) => {
    const statement = filesvc.app.get(FileListRepository).pageStatement(scopeOf(granted), filter, { offset: 0, pageSize: 200 });
    const rows = await filesvc.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${statement?.sql}`, statement?.values);
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };

  it.each([
    ['all of a namespace', () => ['*'], {}, [/Index Only Scan using file_namespace/, /on file_count/]],
    ['all of a namespace, by type and status', () => ['*'], { _type: 'file', _status: 'UPLOAD_COMPLETED' }, [/Index Only Scan using file_namespace/, /on file_count/]],
    ['the root', () => ['*'], { _parents: 'root' }, [/Index Only Scan using file_root/]],
    ['one folder', () => ['*'], { _parents: 0 }, [/Index Only Scan using file_parent/]],
    ['what lies below granted folders', () => [ids[3], ids[4], ids[5]], {}, [/Index Only Scan using file_tree_ancestor/]],
    ['one folder below a granted one', () => [ids[0]], { _parents: 3 }, [/Index Only Scan using file_parent/]],
    ['many single files', () => ids.slice(FOLDERS, FOLDERS + 500), {}, [/Index Only Scan using file_tree_ancestor/]],
    ['a beginning of names', () => ['*'], { _name: '^name 1777' }, [/using file_name\b|on file_name\b/]],
    ['an end of names', () => ['*'], { _name: '1777$' }, [/using file_name_end\b|on file_name_end\b/]],
    ['a rare tag', () => ['*'], { _tags: 'rare' }, [/on file_tags/]],
    ['some ids', () => ['*'], { _ids: 7 }, [/using file_pkey/]],
  ] as const)('%s', async (_what, granted, query, expected) => {
    const named = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, typeof value === 'number' ? ids[value] : value]));
    const plan = await planOf(granted() as string[], parseFileFilter(named));
    expect(plan).not.toMatch(/Seq Scan on (file|file_tree)\b/);
    for (const part of expected) expect(plan).toMatch(part);
  });
});
