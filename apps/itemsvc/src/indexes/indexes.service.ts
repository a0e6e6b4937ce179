import { Injectable } from '@nestjs/common';
import type { RequestContext } from '@twinyard/auth';
import { conflict, invalidField, invalidFields, limitExceeded, notFound, type Page, parsePaging, type QueryValues, ServiceError, textParameter, toPage, toWholePage } from '@twinyard/conventions';
import type { IndexSpec } from '@twinyard/documents';
import { lightSlice } from '@twinyard/service-kit';
import { isDottedPath } from '../encryption/dotted-names';
import { ItemAccess } from '../nameditems/item-access';
import { targetOf } from '../nameditems/named-item';
import { PAGE_BOUNDS } from '../storage/list-query';
import { type IndexDto, toIndexDto } from './index.dto';
import { parseIndexes } from './index.parse';
import { IndexesRepository, OWN_INDEX } from './indexes.repository';

/** Contract 2.5. */
const MAX_INDEXES = 64;

@Injectable()
export class IndexesService {
  constructor(
    private readonly access: ItemAccess,
    private readonly indexes: IndexesRepository,
  ) {}

  async list(ctx: RequestContext, key: string, query: QueryValues): Promise<Page<IndexDto>> {
    const { item } = await this.access.place(ctx, key, undefined, 'READ');
    const paging = parsePaging(query, PAGE_BOUNDS);
    const all = await this.indexes.list(item._id);
    const rows = all.slice(paging.offset, paging.offset + paging.pageSize).map(toIndexDto);
    return toPage(lightSlice({ rows, total: all.length }, this.indexes.answerBytes), paging, (index) => index);
  }

  /** All or none: what was made before one that cannot be made is taken back. */
  async create(ctx: RequestContext, key: string, body: unknown): Promise<Page<IndexDto>> {
    const { item } = await this.access.place(ctx, key, undefined, 'EDIT');
    const specs = parseIndexes(body);
    if (item._encryptionEnabled === true) refuseEncryptedKeys(specs);
    const before = new Set((await this.indexes.list(item._id)).map(({ options }) => options.name));
    const fresh = specs.filter(({ options }) => !before.has(options.name));
    if (before.size + fresh.length > MAX_INDEXES) throw limitExceeded(`A collection has at most ${MAX_INDEXES} indexes`, 'body');
    if (specs.some(({ options }) => options.name === OWN_INDEX)) throw conflict(`There is another index ${JSON.stringify(OWN_INDEX)}`);
    try {
      for (const spec of specs) await this.indexes.add(item._id, spec);
    } catch (error) {
      for (const { options } of fresh) await this.indexes.remove(item._id, options.name);
      throw ctx.access.holds('READ', targetOf(item)) ? error : withoutValues(error);
    }
    return toWholePage(specs.map(toIndexDto));
  }

  async remove(ctx: RequestContext, key: string, query: QueryValues): Promise<void> {
    const { item } = await this.access.place(ctx, key, undefined, 'EDIT');
    const name = textParameter(query, 'name');
    if (!name) throw invalidField('name', 'is required');
    if (name === OWN_INDEX || !(await this.indexes.remove(item._id, name))) throw notFound('index', name);
  }
}

/** The store names what stands twice. */
const withoutValues = (error: unknown): unknown =>
  error instanceof ServiceError && error.code === 'conflict' ? Object.assign(conflict('Items hold the same values'), { cause: error }) : error;

/** An index of ciphertexts finds nothing, and a unique one holds nothing. */
function refuseEncryptedKeys(specs: readonly IndexSpec[]): void {
  const issues = specs.flatMap(({ key }, index) => Object.keys(key).filter(isDottedPath).map((path) => ({ field: `[${index}].key.${path}`, issue: 'is encrypted in this collection' })));
  if (issues.length > 0) throw invalidFields(issues);
}
