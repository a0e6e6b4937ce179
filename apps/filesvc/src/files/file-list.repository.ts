import { setImmediate } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { NamespaceScope } from '@twinyard/auth';
import { isUuid, type Paging, ServiceError, type Slice } from '@twinyard/conventions';
import { sqlState } from '@twinyard/service-kit';
import { DataSource, type EntityManager, type SelectQueryBuilder } from 'typeorm';
import { FileEntity } from './file.entity';
import { type FileFilter, onlyUuids } from './file-filter';
import { withinScope } from './file-scope.repository';
import type { NamePattern } from './name-pattern';

type FileQuery = SelectQueryBuilder<FileEntity>;
type Expression = Extract<NamePattern, { kind: 'expression' }>;

/** Contract 0.1: a regular expression cannot hold the store for longer. */
const EXPRESSION_TIMEOUT_MS = 2_000;
const BATCH = 5_000;
const BREATH_MS = 20;
const QUERY_CANCELED = '57014';

const tooSlow = () => new ServiceError('query_too_slow', 'The regular expression takes too long; narrow the list by other parameters');

/** Lists of files, in the order of creation. */
@Injectable()
export class FileListRepository {
  constructor(private readonly dataSource: DataSource) {}

  async list(scope: NamespaceScope, filter: FileFilter, paging: Paging): Promise<Slice<FileEntity>> {
    const { name } = filter;
    if (name?.kind === 'expression') return this.listMatching(scope, filter, name, paging);
    const query = matching(this.dataSource.manager, scope, filter);
    const total = await query.getCount();
    if (paging.pageSize === 0) return { rows: [], total };
    return { rows: await ordered(query).offset(paging.offset).limit(paging.pageSize).getMany(), total };
  }

  /**
   * PostgreSQL's regular expressions are not RE2's, so the names of all that is otherwise asked for are matched here, in one
   * snapshot, in batches and against a deadline; the total is that of all matches.
   */
  private async listMatching(scope: NamespaceScope, filter: FileFilter, expression: Expression, paging: Paging): Promise<Slice<FileEntity>> {
    try {
      return await this.dataSource.transaction('REPEATABLE READ', async (manager) => {
        await manager.query(`SET LOCAL statement_timeout = ${EXPRESSION_TIMEOUT_MS}`);
        const { ids, total } = await scan(names(manager, matching(manager, scope, filter)), expression, paging);
        if (ids.length === 0) return { rows: [], total };
        const query = matching(manager, scope, filter).andWhere('file.id = ANY(:page::uuid[])', { page: ids });
        return { rows: await ordered(query).getMany(), total };
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
async function* names(manager: EntityManager, query: FileQuery): AsyncGenerator<NamedRow[]> {
  const [sql, parameters] = query.select(['file.id AS id', 'file.name AS name']).orderBy('file.position').getQueryAndParameters();
  await manager.query(`DECLARE file_names NO SCROLL CURSOR FOR ${sql}`, parameters);
  for (;;) {
    const rows = await manager.query<NamedRow[]>(`FETCH ${BATCH} FROM file_names`);
    yield rows;
    if (rows.length < BATCH) return;
  }
}

const ordered = (query: FileQuery) => query.leftJoinAndSelect('file.tip', 'tip').orderBy('file.position');

function matching(manager: EntityManager, scope: NamespaceScope, filter: FileFilter): FileQuery {
  const query = withinScope(manager.createQueryBuilder(FileEntity, 'file').where('true'), scope);
  const { namespaces, parents, ids, tags, statuses, type, name } = filter;
  if (namespaces) query.andWhere('file.namespaces && :namespaces::text[]', { namespaces });
  for (const parent of parents ?? []) inParent(query, parent);
  if (ids) query.andWhere('file.id = ANY(:ids::uuid[])', { ids: onlyUuids(ids) });
  if (tags) query.andWhere('file.tags && :tags::text[]', { tags });
  if (statuses) query.andWhere('file.status = ANY(:statuses::text[])', { statuses });
  if (type) query.andWhere('file.type = :type', { type });
  return name && name.kind !== 'expression' ? query.andWhere(NAMED[name.kind], { wanted: name.text }) : query;
}

const NAMED = {
  equals: 'file.name = :wanted',
  startsWith: 'starts_with(file.name, :wanted)',
  endsWith: 'right(file.name, char_length(:wanted)) = :wanted',
  contains: 'position(:wanted IN file.name) > 0',
} as const;

/** A file has one parent, so two different ones leave nothing; a text that is no id names no folder. */
function inParent(query: FileQuery, parent: string | null): void {
  if (parent === null) query.andWhere('file.parentId IS NULL');
  else if (!isUuid(parent)) query.andWhere('false');
  else query.andWhere(`file.parentId = :parent_${parent.replaceAll('-', '')}`, { [`parent_${parent.replaceAll('-', '')}`]: parent });
}
