import type { FileGrants } from './file-scope.repository';
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
    if (grants.whole.length + grants.ids.length === 0) return undefined;
    const where = new Conditions(search, values);
    const isSingle = grants.ids.length > 0;
    const whole = grants.whole.length > 0 ? values.bind(grants.whole) : undefined;
    const sets = [
      ...(whole === undefined ? [] : [grants.whole.length === 1 ? inNamespace(whole, where) : inNamespaces(whole, where), inSeveral(whole, where)]),
      ...(isSingle ? [...(search.parent === undefined ? belowGranted(where) : childrenOfGranted(where)), sharedGranted(where, whole)] : []),
    ];
    return new FileReach(isSingle ? grantedTables(values.bind(grants.namespaces), values.bind(grants.ids)) : '', sets);
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
 * `topmost`: what is granted in a namespace that it is in, and does not lie in a folder that is granted there too. A condition that is a
 * column misleads no estimate, and OFFSET 0 has rows looked up one by one: they are few.
 */
const grantedTables = (namespaces: string, ids: string) => `granted AS MATERIALIZED (
    SELECT DISTINCT file.id, given.namespace, given.namespace = ANY (file.namespaces) AS valid, cardinality(file.namespaces) > 1 AS shared, file.type = 'dir' AS is_folder
    FROM unnest(${namespaces}::text[], ${ids}::uuid[]) AS given (namespace, id) CROSS JOIN LATERAL (SELECT * FROM file WHERE file.id = given.id OFFSET 0) file
  ), topmost AS MATERIALIZED (
    SELECT * FROM granted WHERE valid AND (id, namespace) NOT IN (
      SELECT lower.id, lower.namespace FROM granted lower CROSS JOIN LATERAL (SELECT ancestor_id FROM file_tree WHERE descendant_id = lower.id AND depth > 0 OFFSET 0) above
      JOIN granted higher ON higher.id = above.ancestor_id AND higher.namespace = lower.namespace AND higher.valid AND higher.is_folder)
  ),`;

/** What is granted in one namespace with all that lies below it. */
function belowGranted(where: Conditions): ReachSet[] {
  if (where.all !== '') {
    return [{ sql: (ordered) => `SELECT file.id, file.position FROM topmost JOIN file_tree ON file_tree.ancestor_id = topmost.id JOIN file ON file.id = file_tree.descendant_id
      WHERE NOT topmost.shared${where.all} ${ordered}` }];
  }
  return [{
    isIndexed: true,
    sql: (ordered) => `SELECT below.id, below.position FROM topmost
      CROSS JOIN LATERAL (SELECT file_tree.descendant_id AS id, file_tree.position FROM file_tree WHERE file_tree.ancestor_id = topmost.id ${ordered}) below WHERE NOT topmost.shared`,
  }];
}

/** The same in one folder: all of it, when the folder is within what is granted, or else what is granted itself. */
function childrenOfGranted(where: Conditions): ReachSet[] {
  const { parent } = where;
  const granted: ReachSet = { sql: (ordered) => `SELECT file.id, file.position FROM topmost JOIN file ON file.id = topmost.id WHERE NOT topmost.shared${where.all} ${ordered}` };
  if (parent === null || parent === undefined) return [granted];
  const isWithin = `EXISTS (SELECT FROM topmost JOIN file_tree ON file_tree.ancestor_id = topmost.id WHERE file_tree.descendant_id = ${parent} AND NOT topmost.shared)`;
  return [granted, { isIndexed: true, sql: (ordered) => `SELECT file.id, file.position FROM file WHERE ${isWithin}${where.all} ${ordered}` }];
}

/** What is granted in folders of several namespaces: some of what lies below may not be in the one of the grant, or in a whole one too, or granted twice. */
function sharedGranted(where: Conditions, whole: string | undefined): ReachSet {
  return { sql: (ordered) => `SELECT DISTINCT file.id, file.position FROM topmost JOIN file_tree ON file_tree.ancestor_id = topmost.id JOIN file ON file.id = file_tree.descendant_id
      WHERE topmost.shared AND topmost.namespace = ANY (file.namespaces)${whole === undefined ? '' : ` AND NOT file.namespaces && ${whole}::text[]`}${where.all} ${ordered}` };
}
