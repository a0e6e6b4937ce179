import { type FileGrants, singleAreas } from './file-scope.repository';
import type { SqlValues } from './sql-values';

/** What a list looks for within what its caller may see. */
export interface FileSearch {
  /** Conditions on the columns of `file`, the folder not among them. */
  readonly conditions: readonly string[];
  /** `null` is the root; `undefined` anywhere. */
  readonly parent: string | null | undefined;
  /** The same as conditions on `file_count`, when that can tell how many there are. */
  readonly counted?: readonly string[];
}

/**
 * The files that a caller may see and that a list looks for, as sets that have nothing in common: their counts add up, and nothing has to be
 * compared with all else. What lies in one namespace alone is by far the most, and is told by that namespace, or by the topmost folder that is
 * granted: what lies in a folder has no namespace that the folder has not, so everything below a folder of one namespace is in it.
 */
export class FileReach {
  private constructor(
    /** For a WITH, which the sets refer to; each ends in a comma. */
    readonly tables: string,
    private readonly sets: readonly ReachSet[],
  ) {}

  /** `undefined` when the caller may see nothing. */
  static of(grants: FileGrants, search: FileSearch, values: SqlValues): FileReach | undefined {
    if (grants.whole.length + grants.single.length === 0) return undefined;
    const where = new Conditions(search, values);
    const isSingle = grants.single.length > 0;
    const whole = grants.whole.length > 0 ? values.bind(grants.whole) : undefined;
    const sets = [
      ...(whole === undefined ? [] : [grants.whole.length === 1 ? inNamespace(whole, where) : inNamespaces(whole, where), inSeveral(whole, where)]),
      ...(isSingle ? [...(search.parent === undefined ? belowGranted(where) : childrenOfGranted(where)), scattered] : []),
    ];
    return new FileReach(isSingle ? `${grantedTables(singleAreas(grants, values))} ${scatteredTable(where, whole)},` : '', sets);
  }

  /** `id` and `position` of all of them, in no order. */
  get all(): string {
    return this.union(({ sql }) => sql(''));
  }

  /** Those that may be among the first `limit`. */
  first(limit: string): string {
    return this.union(({ sql }) => `(${sql(`ORDER BY position LIMIT ${limit}`)})`);
  }

  /** The order, which a count does not need, makes the planner read an index alone where it would take reading the whole table for cheaper. */
  get total(): string {
    return this.sets.map(({ sql, isIndexed, total }) => total ?? `(SELECT count(*) FROM (${sql(isIndexed ? 'ORDER BY position' : '')}) counted)`).join(' + ');
  }

  private union(text: (set: ReachSet) => string): string {
    return this.sets.map(text).join('\nUNION ALL ');
  }
}

interface ReachSet {
  /** A query of `id` and `position`; `ordered` is how it, or each of its parts, is ordered and cut. */
  readonly sql: (ordered: string) => string;
  /** Whether an index has the rows of each part in the order of lists. */
  readonly isIndexed?: true;
  /** How many there are, where that is kept. */
  readonly total?: string | undefined;
}

class Conditions {
  /** With the folder; each after an AND. */
  readonly all: string;
  /** Where its id is bound; `null` is the root. */
  readonly parent: string | null | undefined;

  private readonly counted: readonly string[] | undefined;

  constructor({ conditions, parent, counted }: FileSearch, values: SqlValues) {
    this.counted = counted;
    this.parent = typeof parent === 'string' ? `${values.bind(parent)}::uuid` : parent;
    const inParent = this.parent === null ? 'file.parent_id IS NULL' : `file.parent_id = ${this.parent}`;
    this.all = [...(this.parent === undefined ? [] : [inParent]), ...conditions].map((condition) => ` AND ${condition}`).join('');
  }

  /** How many files lie in each of some namespaces alone; `undefined`, when they are to be counted. */
  totalIn(namespaces: string): string | undefined {
    return this.counted && `(SELECT coalesce(sum(files), 0)::bigint FROM file_count WHERE ${[`namespace = ANY (${namespaces}::text[])`, ...this.counted].join(' AND ')})`;
  }
}

/** Files that lie in one whole namespace alone: `whole` is all that they are in. */
const inNamespace = (whole: string, where: Conditions): ReachSet => ({
  isIndexed: true,
  total: where.totalIn(whole),
  sql: (ordered) => `SELECT file.id, file.position FROM file WHERE file.namespaces = ${whole}::text[]${where.all} ${ordered}`,
});

const inNamespaces = (whole: string, where: Conditions): ReachSet => ({
  isIndexed: true,
  total: where.totalIn(whole),
  sql: (ordered) => `SELECT file.id, file.position FROM unnest(${whole}::text[]) AS whole (namespace)
    CROSS JOIN LATERAL (SELECT file.id, file.position FROM file WHERE file.namespaces = ARRAY[whole.namespace]${where.all} ${ordered}) file`,
});

/** Files of whole namespaces that lie in others too. */
const inSeveral = (whole: string, where: Conditions): ReachSet => ({
  sql: (ordered) => `SELECT file.id, file.position FROM file WHERE cardinality(file.namespaces) > 1 AND file.namespaces && ${whole}::text[]${where.all} ${ordered}`,
});

/**
 * `topmost`: what is granted in a namespace that it is in, and does not lie in a folder that is granted there too. OFFSET 0 has rows looked up one by one:
 * they are few. What lies above is not asked for where no folder is granted.
 */
const grantedTables = (areas: string) => `granted AS MATERIALIZED (
    SELECT file.id, file.position, area.namespace, cardinality(file.namespaces) > 1 AS shared, file.type = 'dir' AS is_folder
    FROM ${areas} CROSS JOIN LATERAL (SELECT DISTINCT id FROM unnest(area.ids::uuid[]) AS given (id)) given
    CROSS JOIN LATERAL (SELECT * FROM file WHERE file.id = given.id AND area.namespace = ANY (file.namespaces) OFFSET 0) file
  ), above AS MATERIALIZED (
    SELECT lower.id, lower.namespace, above.ancestor_id FROM granted lower
    CROSS JOIN LATERAL (SELECT ancestor_id FROM file_tree WHERE descendant_id = lower.id AND depth > 0 OFFSET 0) above WHERE EXISTS (SELECT FROM granted WHERE is_folder)
  ), topmost AS MATERIALIZED (
    SELECT * FROM granted WHERE (id, namespace) NOT IN (
      SELECT above.id, above.namespace FROM above JOIN granted higher ON higher.id = above.ancestor_id AND higher.namespace = above.namespace WHERE higher.is_folder)
  ),`;

/** What lies below folders that are granted in one namespace, where it is all wanted: read from an index in the order of lists. */
function belowGranted(where: Conditions): ReachSet[] {
  if (where.all !== '') return [];
  return [{
    isIndexed: true,
    sql: (ordered) => `SELECT below.id, below.position FROM topmost
      CROSS JOIN LATERAL (SELECT file_tree.descendant_id AS id, file_tree.position FROM file_tree WHERE file_tree.ancestor_id = topmost.id ${ordered}) below WHERE is_folder AND NOT shared`,
  }];
}

/** What lies in one folder, when that is within what is granted. */
function childrenOfGranted(where: Conditions): ReachSet[] {
  const { parent } = where;
  if (parent === null || parent === undefined) return [];
  const isWithin = `EXISTS (SELECT FROM topmost JOIN file_tree ON file_tree.ancestor_id = topmost.id WHERE file_tree.descendant_id = ${parent} AND NOT topmost.shared)`;
  return [{ isIndexed: true, sql: (ordered) => `SELECT file.id, file.position FROM file WHERE ${isWithin}${where.all} ${ordered}` }];
}

/** What no index has in the order of lists: it is looked for once, for the page and for the total. */
const scattered: ReachSet = { sql: (ordered) => `SELECT id, position FROM scattered ${ordered}` };

/**
 * Files that are granted by themselves, which nobody needs to look for in the tree, or with conditions all that is granted; and what is granted in
 * several namespaces: some of what lies below may not be in the one of the grant, or in a whole one too, or granted twice.
 */
function scatteredTable(where: Conditions, whole: string | undefined): string {
  return `scattered AS MATERIALIZED (
    ${ownGranted(where)}
    UNION ALL SELECT DISTINCT file.id, file.position FROM topmost JOIN file_tree ON file_tree.ancestor_id = topmost.id JOIN file ON file.id = file_tree.descendant_id
    WHERE topmost.shared AND topmost.namespace = ANY (file.namespaces)${whole === undefined ? '' : ` AND NOT file.namespaces && ${whole}::text[]`}${where.all}
  )`;
}

function ownGranted({ all, parent }: Conditions): string {
  if (all === '') return 'SELECT id, position FROM topmost WHERE NOT is_folder AND NOT shared';
  if (parent !== undefined) return `SELECT file.id, file.position FROM topmost JOIN file ON file.id = topmost.id WHERE NOT topmost.shared${all}`;
  return `SELECT file.id, file.position FROM topmost JOIN file_tree ON file_tree.ancestor_id = topmost.id JOIN file ON file.id = file_tree.descendant_id WHERE NOT topmost.shared${all}`;
}
