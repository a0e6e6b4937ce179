import { join } from 'node:path';
import { classPath } from '../packages/catalogue';
import type { Engine } from './engine';
import { listens } from './health';

/** A stand-in: the protocol, without sessions and transactions (cannot.txt has what that costs). */
export const mongo: Engine = {
  package: 'mongo',
  command: async ({ folder, port }, installed) => ({
    program: 'java',
    args: ['-Xmx640m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn', '-cp', classPath(installed), 'MongoStandIn', '127.0.0.1', String(port), join(folder, 'data.mv')],
  }),
  isHealthy: ({ port }) => listens(port),
  settings: ({ port }) => ({ MONGO_URL: `mongodb://127.0.0.1:${port}/twinyard`, MONGO_ALLOW_STANDALONE: 'true' }),
};
