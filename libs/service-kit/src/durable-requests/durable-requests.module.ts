import { Global, Module } from '@nestjs/common';
import { UnitOfWork } from '../tx';
import { DurableRequestStore } from './durable-request-store';
import { DurableRequests } from './durable-requests';
import { SqlDurableRequestStore } from './sql-durable-request-store';

/** For services that answer 202: list `DurableRequestsTable1700000000010` among the migrations and serve `requestsController`. */
@Global()
@Module({
  providers: [
    { provide: DurableRequestStore, inject: [UnitOfWork], useFactory: (unitOfWork: UnitOfWork) => new SqlDurableRequestStore(unitOfWork) },
    DurableRequests,
  ],
  exports: [DurableRequests],
})
export class DurableRequestsModule {}
