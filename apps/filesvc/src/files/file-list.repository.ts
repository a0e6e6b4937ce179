import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import { type Paging, ServiceError, type Slice } from '@twinyard/conventions';
import { answerBytesOf, lightSlice, sqlState } from '@twinyard/service-kit';
import { DataSource, type EntityManager } from 'typeorm';
import { searchOf } from './file-conditions.repository';
import type { FileEntity } from './file.entity';
import type { FileFilter } from './file-filter';
import { FileReach } from './file-reach.repository';
import { type FileRow, FileRows } from './file-rows.repository';
import { grantsOf } from './file-scope.repository';
import type { NamePattern } from './name-pattern';
import { SqlValues } from './sql-values';

type Expression = Extract<NamePattern, { kind: 'expression' }>;

/** Contract 0.1: a regular expression cannot hold the store for longer. */
const EXPRESSION_TIMEOUT_MS = 2_000;
const BATCH = 5_000;
const BREATH_MS = 20;
const QUERY_CANCELED = '57014';
/** No property has such a name. */
const TOTAL = '#total';

/** The rows of a page by their keys: to hash a whole table for them seems cheap to the planner while it is small. */
const ONE_BY_ONE = `LEFT JOIN LATERAL (SELECT * FROM file WHERE file.id = page.id OFFSET 0) file ON true
      LEFT JOIN LATERAL (SELECT * FROM file_version WHERE file_version.id = file.tip_id OFFSET 0) tip ON true`;

const NOTHING: Slice<FileEntity> = { rows: [], total: 0 };

const tooSlow = () => new ServiceError('query_too_slow', 'The regular expression takes too long; narrow the list by other parameters');

interface Statement {
  readonly sql: string;
  readonly values: unknown[];
}

/** Lists of files, in the order of creation. */
@Injectable()
export class FileListRepository {
  private readonly rows: FileRows;

  constructor(private readonly dataSource: DataSource) {
    this.rows = new FileRows(dataSource);
  }

  async list(scope: NamespaceScope, filter: FileFilter, paging: Paging): Promise<Slice<FileEntity>> {
    const { name } = filter;
    return lightSlice(await (name?.kind === 'expression' ? this.listMatching(scope, filter, name, paging) : this.listFound(scope, filter, paging)), answerBytesOf(this.dataSource));
  }

  private async listFound(scope: NamespaceScope, filter: FileFilter, paging: Paging): Promise<Slice<FileEntity>> {
    const statement = this.pageStatement(scope, filter, paging);
    if (statement === undefined) return NOTHING;
    const found = await this.dataSource.query<FileRow[]>(statement.sql, statement.values);
    // With nothing on the page there is one row, of the total alone.
    return { rows: found.filter((row) => row['file.id'] !== null).map((row) => this.rows.toFile(row)), total: Number(found[0]?.[TOTAL]) };
  }

  /** One page and the total, in one statement; `undefined` when nothing can match. */
  pageStatement(scope: NamespaceScope, filter: FileFilter, { offset, pageSize }: Paging): Statement | undefined {
    const values = new SqlValues();
    const reach = reachOf(scope, filter, values);
    if (reach === undefined) return undefined;
    const cut = `ORDER BY position LIMIT ${values.bind(pageSize)} OFFSET ${values.bind(offset)}`;
    const sql = `WITH ${reach.tables} ${isIndexed(filter) ? pageByIndex(reach, cut, values.bind(offset + pageSize)) : pageOfFound(reach, cut)}
      SELECT counted.total AS "${TOTAL}", ${this.rows.selected} FROM counted LEFT JOIN page ON true
      ${ONE_BY_ONE} ORDER BY page.position`;
    return { sql, values: values.all };
  }

  /**
   * PostgreSQL's regular expressions are not RE2's, so the names of all that is otherwise asked for are matched here, in one
   * snapshot, in batches and against a deadline; the total is that of all matches.
   */
  private async listMatching(scope: NamespaceScope, filter: FileFilter, expression: Expression, paging: Paging): Promise<Slice<FileEntity>> {
    const statement = namesStatement(scope, filter);
    if (statement === undefined) return NOTHING;
    try {
      return await this.dataSource.transaction('REPEATABLE READ', async (manager) => {
        await manager.query(`SET LOCAL statement_timeout = ${EXPRESSION_TIMEOUT_MS}`);
        const { ids, total } = await scan(names(manager, statement), expression, paging);
        if (ids.length === 0) return { rows: [], total };
        const sql = `SELECT ${this.rows.selected} FROM file LEFT JOIN file_version tip ON tip.id = file.tip_id WHERE file.id = ANY ($1::uuid[]) ORDER BY file.position`;
        return { rows: (await manager.query<FileRow[]>(sql, [ids])).map((row) => this.rows.toFile(row)), total };
      });
    } catch (error) {
      throw sqlState(error) === QUERY_CANCELED ? tooSlow() : error;
    }
  }
}

interface NamedRow {
  readonly id: string;
  readonly name: string;
}

/** Which matches are on the page, and how many there are in all. */
async function scan(batches: AsyncIterable<NamedRow[]>, { matches }: Expression, paging: Paging): Promise<{ ids: string[]; total: number }> {
  const deadline = performance.now() + EXPRESSION_TIMEOUT_MS;
  const ids: string[] = [];
  let total = 0;
  let breath = performance.now();
  for await (const batch of batches) {
    for (const { id, name } of batch) {
      const now = performance.now();
      if (now > deadline) throw tooSlow();
      if (now > breath + BREATH_MS) breath = await setImmediate(now);
      if (!matches(name)) continue;
      if (total >= paging.offset && ids.length < paging.pageSize) ids.push(id);
      total += 1;
    }
  }
  return { ids, total };
}

/** In the order of the list, through a cursor of the transaction. */
async function* names(manager: EntityManager, { sql, values }: Statement): AsyncGenerator<NamedRow[]> {
  await manager.query(`DECLARE file_names NO SCROLL CURSOR FOR ${sql}`, values);
  for (;;) {
    const rows = await manager.query<NamedRow[]>(`FETCH ${BATCH} FROM file_names`);
    yield rows;
    if (rows.length < BATCH) return;
  }
}

function namesStatement(scope: NamespaceScope, filter: FileFilter): Statement | undefined {
  const values = new SqlValues();
  const reach = reachOf(scope, filter, values);
  if (reach === undefined) return undefined;
  return { sql: `WITH ${reach.tables} found AS (${reach.all}) SELECT file.id, file.name FROM found JOIN file ON file.id = found.id ORDER BY found.position`, values: values.all };
}

function reachOf(scope: NamespaceScope, filter: FileFilter, values: SqlValues): FileReach | undefined {
  const search = searchOf(filter, scope.areas.map(({ namespace }) => namespace), values);
  return search && FileReach.of(grantsOf(scope), search, values);
}

/** Whether indexes hold all that is asked for, in the order of lists. */
const isIndexed = ({ ids, tags, name }: FileFilter) => ids === undefined && tags === undefined && name === undefined;

/** The page is read where it lies, and all else only counted. */
const pageByIndex = (reach: FileReach, cut: string, end: string) =>
  `page AS (SELECT id, position FROM (${reach.first(end)}) reached ${cut}), counted AS (SELECT ${reach.total} AS total)`;

/** What the conditions cost is paid once. */
const pageOfFound = (reach: FileReach, cut: string) =>
  `found AS MATERIALIZED (${reach.all}), page AS (SELECT id, position FROM found ${cut}), counted AS (SELECT count(*) AS total FROM found)`;
