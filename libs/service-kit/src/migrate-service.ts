import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createFastifyAdapter } from './http/fastify-adapter';
import { createLogger, type Logger, NestLogger } from './logging/logger';
import { RootModule } from './root.module';
import type { ServiceDefinition } from './service-definition';
import type { BaseSettings } from './settings/settings';
import { MigrationPolicy } from './sql/migration-policy';

/**
 * Brings the stores of a service to the shape that its code expects, whatever `MIGRATE_ON_START` says, and ends. The providers are
 * made, since making a store migrates it; none of them is initialised, so nothing listens, consumes or works.
 */
export async function migrateService<S extends BaseSettings>(definition: ServiceDefinition<S>, settings: S): Promise<void> {
  const logger = createLogger(definition.name, settings.LOG_LEVEL);
  const root = RootModule.of(definition.module(settings), logger, new MigrationPolicy(true));
  const app = await NestFactory.create<NestFastifyApplication>(root, createFastifyAdapter(), { logger: new NestLogger(logger), bodyParser: false, abortOnError: false });
  try {
    await definition.prepareStores?.(app);
  } finally {
    await close(app, logger);
  }
}

/** What was never initialised may find nothing to stop; the stores have been migrated all the same. */
async function close(app: NestFastifyApplication, logger: Logger): Promise<void> {
  await app.close().catch((error: unknown) => logger.debug({ err: error }, 'closed with an error'));
}
