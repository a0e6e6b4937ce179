import { Global, Module } from '@nestjs/common';
import { MongoUnitOfWork, type SqlTx, UnitOfWork } from '@twinyard/service-kit';
import { DurableRequestStore } from './durable-request-store';
import { DurableRequests } from './durable-requests';
import { MongoDurableRequestStore } from './mongo-durable-request-store';
import { SqlDurableRequestStore } from './sql-durable-request-store';

/**
 * For services that answer 202: list `DurableRequestsTable1700000000010`, `DurableRequestProgress1700000000040` and `DurableRequestBytes1700000000050` among the migrations (on MongoDB `DURABLE_REQUESTS_COLLECTIONS`
 * among the collections) and import, beside a `JobsModule`, `LaterWorkModule` of libs/auth, which serves the requests.
 */
@Global()
@Module({
  providers: [
    { provide: DurableRequestStore, inject: [UnitOfWork], useFactory: storeOf },
    DurableRequests,
  ],
  exports: [DurableRequests],
})
export class DurableRequestsModule {}

function storeOf(unitOfWork: UnitOfWork<SqlTx> | MongoUnitOfWork): DurableRequestStore {
  return unitOfWork instanceof MongoUnitOfWork ? new MongoDurableRequestStore(unitOfWork) : new SqlDurableRequestStore(unitOfWork);
}
