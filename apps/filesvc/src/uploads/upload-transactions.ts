import { Inject, Injectable } from '@nestjs/common';
import { type RequestContext, tenantOf } from '@twinyard/auth';
import { FairShare, fairShareTerms, type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';

/**
 * Transactions of uploads. Requests that wait for bytes hold no place of the service, so what they write down when bytes have come takes places
 * of its own: a folder into which hundreds are sent at once takes neither all connections nor all of these.
 */
@Injectable()
export class UploadTransactions {
  private readonly places: FairShare;

  constructor(private readonly unitOfWork: TypeOrmUnitOfWork, @Inject(FILESVC_SETTINGS) settings: FilesvcSettings) {
    this.places = new FairShare(fairShareTerms(settings, settings.UPLOAD_PLACES));
  }

  run<R>(ctx: RequestContext, work: (tx: TypeOrmTx) => Promise<R>): Promise<R> {
    return this.ask(ctx, () => this.unitOfWork.run(work));
  }

  /** The same for a statement that is a transaction by itself. */
  ask<R>(ctx: RequestContext, statement: () => Promise<R>): Promise<R> {
    return this.places.run(tenantOf(ctx), statement);
  }
}
