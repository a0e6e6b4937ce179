import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { LaterWork, type RequestContext } from '@twinyard/auth';
import { notFound } from '@twinyard/conventions';
import { refusalAnswer } from '@twinyard/jobs';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import type { ImportRecord } from './import';
import { ImportRows } from './import-rows';
import { ImportWhole } from './import-whole';
import type { ImportWork } from './import-work';
import { ImportsRepository } from './imports.repository';
import { RowKinds } from './row-kinds';

export const IMPORT_KIND = 'imports.perform';

export interface StoredImport {
  readonly importId: string;
}

/** A store that ends long transactions ends this one each time. */
const MAX_TRIES = 20;

/** Writes the rows of a file that was taken in, on whatever replica, with the rights that the sender has by then. */
@Injectable()
export class PerformImport implements OnModuleInit {
  constructor(
    private readonly imports: ImportsRepository,
    private readonly kinds: RowKinds,
    private readonly rows: ImportRows,
    private readonly whole: ImportWhole,
    private readonly later: LaterWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.later.register<StoredImport>(IMPORT_KIND, (ctx, { importId }, finish, report, hold) => this.perform(ctx, importId, { finish, report, hold }));
  }

  private async perform(ctx: RequestContext, id: string, request: Pick<ImportWork, 'finish' | 'report' | 'hold'>): Promise<void> {
    const record = await this.imports.find(id);
    if (record === undefined) throw notFound('import', id);
    try {
      const kind = this.kinds.of(record.kind);
      const place = await kind.place(ctx, record.itemId, record.versionId);
      await this.write({ ctx, record, place, kind, ...request });
    } catch (error) {
      const refusal = refusalAnswer(error);
      if (refusal === undefined) throw error;
      // First of all: without its file, whoever took it over would know no more why it was refused.
      await this.imports.end((tx) => request.finish(tx, refusal));
    }
    await this.forget(record);
  }

  private async write(work: ImportWork): Promise<void> {
    const { record, finish, hold } = work;
    if (record.mode === 'rows') return this.rows.run(work);
    if (record.tries < MAX_TRIES) {
      await this.imports.change({ ...record, tries: record.tries + 1 }, hold);
      return this.whole.run(work);
    }
    const body = { message: 'The rows cannot be written in one transaction of the store; send them with mode=rows', code: 'insufficient_storage', _created: 0, _refused: [] };
    return this.imports.end((tx) => finish(tx, { status: 507, body }));
  }

  /** Its request has ended. What is left is swept. */
  private async forget({ _id }: ImportRecord): Promise<void> {
    await this.imports.remove(_id).catch((error: unknown) => this.logger.warn({ err: error }, 'the file of an import that has ended waits for removal'));
  }
}
