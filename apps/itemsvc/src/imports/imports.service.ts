import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import { LaterWork, type Outcome, type RequestContext, tenantOf } from '@twinyard/auth';
import { invalidField, isRefusal, newUuid, type QueryValues } from '@twinyard/conventions';
import { CsvFault } from '@twinyard/csv';
import { FairShare, fairShareTerms, LOGGER, type Logger } from '@twinyard/service-kit';
import { ITEM_SETTINGS, type ItemSettings } from '../config';
import { AT_BEGIN, type ImportRecord, type RowKindName } from './import';
import { parseImportRequest } from './import.parse';
import { CHUNK_BYTES } from './import-spool.repository';
import { ImportsRepository } from './imports.repository';
import { IMPORT_KIND, type StoredImport } from './perform-import';
import { RowCount } from './row-count';
import { RowKinds } from './row-kinds';
import { readBody } from './upload-body';

/**
 * Takes files of rows in. What is answered with 202 is kept whole; what is cut off is not kept at all. A file may come for hours: a place is taken for
 * what is asked of the store when some of it is there, so that files wait for each other no longer than for that.
 */
@Injectable()
export class ImportsService {
  private readonly places: FairShare;

  constructor(
    private readonly imports: ImportsRepository,
    private readonly kinds: RowKinds,
    private readonly later: LaterWork,
    @Inject(ITEM_SETTINGS) private readonly settings: ItemSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.places = new FairShare(fairShareTerms(settings, settings.IMPORT_PLACES));
  }

  async accept(ctx: RequestContext, kind: RowKindName, request: { readonly key: string; readonly query: QueryValues; readonly raw: IncomingMessage }): Promise<Outcome> {
    const { format, mode, versionId, form, onConflict } = parseImportRequest(request.query);
    const place = await this.inTurn(ctx, () => this.kinds.of(kind).place(ctx, request.key, versionId));
    const record: ImportRecord = {
      _id: newUuid(), _namespaces: place.item._namespaces, itemId: place.item._id, versionId: place.versionId, kind, format, mode, form, ...(onConflict !== undefined && { onConflict }),
      isConfidential: place.item._encryptionEnabled === true, isWhole: false, touchedAt: Date.now(), tries: 0, checkpoint: AT_BEGIN,
    };
    await this.inTurn(ctx, () => this.imports.add(record));
    const total = await this.keep(ctx, record, request.raw)
      .catch((error: unknown) => this.drop(ctx, record, error instanceof CsvFault ? invalidField('body', error.message) : error));
    const work: StoredImport = { importId: record._id };
    // Where it is not refused a worker may be at it already. If there is none, the sweep finds the file.
    return this.later.accept(ctx, IMPORT_KIND, work, { id: record._id, progress: { done: 0, total }, confidential: record.isConfidential })
      .catch((error: unknown) => (isRefusal(error) ? this.drop(ctx, record, error) : Promise.reject(error as Error)));
  }

  private inTurn<T>(ctx: RequestContext, ask: () => Promise<T>): Promise<T> {
    return this.places.run(tenantOf(ctx), ask);
  }

  private async drop(ctx: RequestContext, { _id }: ImportRecord, error: unknown): Promise<never> {
    await this.inTurn(ctx, () => this.imports.remove(_id)).catch((cause: unknown) => this.logger.warn({ err: cause }, 'what was cut off of an import waits for removal'));
    throw error;
  }

  /** The number of its rows. */
  private async keep(ctx: RequestContext, record: ImportRecord, raw: IncomingMessage): Promise<number> {
    const rows = new RowCount(record.format, record.form ?? {});
    let chunks = 0;
    for await (const chunk of readBody(raw, { maxBytes: this.settings.IMPORT_MAX_BYTES, chunkBytes: CHUNK_BYTES, isUtf8: record.format === 'ndjson' })) {
      rows.take(chunk);
      await this.inTurn(ctx, () => this.imports.addChunk(record, chunks, chunk));
      chunks += 1;
    }
    const total = rows.end();
    await this.inTurn(ctx, () => this.imports.change({ ...record, isWhole: true, touchedAt: Date.now(), total }));
    return total;
  }
}
