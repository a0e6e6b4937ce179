import { type DynamicModule, Global, Module } from '@nestjs/common';
import { LOGGER, type Logger, MongoUnitOfWork, QuietConnection, type TypeOrmUnitOfWork, UnitOfWork } from '@twinyard/service-kit';
import { DeadJobsSweep } from './dead-jobs/dead-jobs-sweep';
import { JobRunner } from './job-runner';
import { Jobs } from './jobs';
import { JobsMetrics } from './jobs-metrics';
import { JOBS_OPTIONS, type JobsOptions } from './jobs-options';
import { JobNotices } from './notices/job-notices';
import { MongoNotices } from './notices/mongo-notices';
import { PostgresNotices } from './notices/postgres-notices';
import { Schedules } from './schedules';
import { JobStore } from './store/job-store';
import { MongoJobStore } from './store/mongo/mongo-job-store';
import { SqlJobStore } from './store/postgres/sql-job-store';

interface JobSettings {
  readonly JOBS_PER_NAMESPACE: number;
  readonly JOBS_AT_ONCE: number;
  readonly JOBS_KEEP_DEAD_DAYS: number;
}

type Database = TypeOrmUnitOfWork | MongoUnitOfWork;

/**
 * Background work of one service:
 *
 *     imports: [JobsModule.forRoot(settings), …]
 *
 * With `JOBS_MIGRATIONS` among the migrations, or on MongoDB `JOBS_COLLECTIONS` among the collections.
 */
@Global()
@Module({})
export class JobsModule {
  static forRoot(settings: JobSettings): DynamicModule {
    const options: JobsOptions = { perNamespace: settings.JOBS_PER_NAMESPACE, atOnce: settings.JOBS_AT_ONCE, keepDeadDays: settings.JOBS_KEEP_DEAD_DAYS };
    return {
      module: JobsModule,
      providers: [
        { provide: JOBS_OPTIONS, useValue: options },
        { provide: JobStore, inject: [UnitOfWork], useFactory: storeOn },
        { provide: JobNotices, inject: [UnitOfWork, LOGGER, { token: QuietConnection, optional: true }], useFactory: noticesOn },
        JobsMetrics, Jobs, JobRunner, Schedules, DeadJobsSweep,
      ],
      exports: [JobStore, Jobs, JobRunner, Schedules],
    };
  }
}

/** For a command beside a running service, which hears of what is committed by the database. */
export const jobsOn = (database: Database): Jobs => new Jobs(storeOn(database), { enqueued: () => undefined });

export const storeOn = (database: Database): JobStore => (database instanceof MongoUnitOfWork ? new MongoJobStore(database) : new SqlJobStore(database));

const noticesOn = (database: Database, logger: Logger, quiet?: QuietConnection): JobNotices =>
  (database instanceof MongoUnitOfWork ? new MongoNotices(database.connection, logger) : new PostgresNotices(quiet as QuietConnection));
