// `node dist/libs/jobs/src/operate-jobs.js list|dead|retry|drop|figures`, with the settings of a service; see USAGE.
import { endWith, MongoConnection, MongoUnitOfWork, printLine, TypeOrmUnitOfWork, withDataSource } from '@twinyard/service-kit';
import { readSettings } from './config';
import { runJobsCommand, USAGE } from './dead-jobs/dead-jobs-command';
import { storeOn } from './jobs.module';

const run = (unitOfWork: TypeOrmUnitOfWork | MongoUnitOfWork) => runJobsCommand(process.argv.slice(2), storeOn(unitOfWork), printLine);

async function main(): Promise<number> {
  const { DATABASE_URL, MONGO_URL, MONGO_ALLOW_STANDALONE: allowStandalone } = readSettings();
  if (MONGO_URL !== undefined) {
    const connection = await MongoConnection.open({ url: MONGO_URL, allowStandalone });
    return run(new MongoUnitOfWork(connection)).finally(() => connection.close());
  }
  return withDataSource({ url: DATABASE_URL as string }, (dataSource) => run(new TypeOrmUnitOfWork(dataSource)));
}

endWith(main, { usage: USAGE });
