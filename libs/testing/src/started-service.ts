import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { FakePassport } from './fake-passport';
import { createTestDatabase, type TestDatabase } from './test-database';
import { testSettings } from './test-settings';

/** One process of a service, with an identity service and databases of its own. */
export interface StartedService {
  readonly app: NestFastifyApplication;
  readonly passport: FakePassport;
  readonly database: TestDatabase;
  stop(): Promise<void>;
}

/** It listens. `create`: the service, by the settings that every service has and those of its own. */
export async function startService(create: (settings: ReturnType<typeof testSettings>) => Promise<NestFastifyApplication>): Promise<StartedService> {
  const [passport, database, events] = await Promise.all([FakePassport.start(), createTestDatabase(), createTestDatabase()]);
  const app = await create(testSettings(passport, database, events));
  await app.listen(0, '127.0.0.1');
  const stop = async () => {
    await app.close();
    await passport.stop();
    await Promise.all([database.drop(), events.drop()]);
  };
  return { app, passport, database, stop };
}
