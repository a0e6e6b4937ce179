import { setTimeout as delay } from 'node:timers/promises';
import type { Abstract } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { FastifyInstance } from 'fastify';
import { allowOrigins, RegisteredOrigins } from './http/cors';
import { checkDtos } from './http/dto-routes';
import { ErrorFilter } from './http/errors/error-filter';
import { tagEntities } from './http/entity-tags';
import { createFastifyAdapter } from './http/fastify-adapter';
import { nameAllowedMethods } from './http/allowed-methods';
import { takeForms } from './http/forms';
import { KnownCallers, limitRate } from './http/rate-limit';
import { validation } from './http/validation';
import { ReadinessChecks } from './health/readiness-checks';
import { serveHealth } from './health/health.routes';
import { endConnections } from './lines/ending-connections';
import { guardLines } from './lines/guard-lines';
import { boundBodyMemory } from './lines/body-memory';
import { createLogger, type Logger, NestLogger } from './logging/logger';
import { OpenRequests } from './logging/open-requests';
import { tellWarnings } from './logging/process-warnings';
import { logRequests } from './logging/request-log';
import { tellUnheldFailures } from './logging/unheld-failures';
import { MetricsRegistry } from './metrics/metrics-registry';
import { migrateService } from './migrate-service';
import { buildOpenApi, serveOpenApi } from './openapi/openapi';
import { releaseMemory } from './release-memory';
import { RootModule } from './root.module';
import type { ServiceDefinition } from './service-definition';
import { lineTermsOf } from './settings/line-settings';
import { type BaseSettings, loadSettings, SettingsError } from './settings/settings';
import { isConnectionLost } from './store-errors';
import { MigrationPolicy } from './sql/migration-policy';
import { stopOnSignals } from './stop-on-signals';

const [STORES_WITHIN_MS, STORE_LOOK_MS] = [60_000, 500];

/** Builds a service that is ready to listen: all that a caller can notice is set here, the same for every service. */
export async function createService<S extends BaseSettings>(definition: ServiceDefinition<S>, settings: S): Promise<NestFastifyApplication> {
  process.umask(0o077); // what a service keeps in files, such as blobs and mails, is its owner's
  const logger = createLogger(definition.name, settings.LOG_LEVEL);
  const terms = lineTermsOf(settings);
  const app = await NestFactory.create<NestFastifyApplication>(
    RootModule.of(definition.module(settings), logger, new MigrationPolicy(settings.MIGRATE_ON_START)),
    createFastifyAdapter({ terms, logger }),
    { logger: new NestLogger(logger), bodyParser: false, abortOnError: false },
  );
  const instance = app.getHttpAdapter().getInstance() as unknown as FastifyInstance;
  // Hooks that every request meets call back: a promise each would cost more than what they do.
  instance.addHook('onRequest', (request, reply, done) => {
    void reply.header('X-Request-Id', request.id).header('X-Content-Type-Options', 'nosniff');
    done();
  });
  logRequests(instance, logger);
  app.get(OpenRequests).watch(instance);
  const readiness = app.get(ReadinessChecks);
  endConnections(instance, { isStopping: () => readiness.isDraining, headMs: terms.headMs });
  guardLines(instance, { terms, logger, addressOf: ({ ip }) => ip });
  boundBodyMemory(instance, settings.BODY_MEMORY_MB);
  takeForms(instance);
  await allowOrigins(instance, settings, optional(app, RegisteredOrigins));
  await limitRate(instance, settings.RATE_LIMIT_PER_MINUTE, optional(app, KnownCallers));
  nameAllowedMethods(instance);
  tagEntities(instance);
  serveHealth(instance, readiness, app.get(MetricsRegistry));
  app.useGlobalFilters(new ErrorFilter(logger));
  checkDtos(app, validation);
  await definition.configure?.(app, settings);
  serveOpenApi(app, definition.name, definition.openApi);
  return app;
}

/** The service's OpenAPI document. Nothing is started for it, no provider is made: it needs neither database nor network. */
export async function describeService<S extends BaseSettings>(definition: ServiceDefinition<S>, settings: S): Promise<OpenAPIObject> {
  const root = RootModule.of(definition.module(settings), createLogger(definition.name, 'fatal'), new MigrationPolicy(false));
  const app = await NestFactory.create<NestFastifyApplication>(root, createFastifyAdapter(), { preview: true, logger: false, abortOnError: false });
  return buildOpenApi(app, definition.openApi);
}

/** What a lib of callers gives; a service without one (tests of a lib) simply has none. */
function optional<T>(app: NestFastifyApplication, type: Abstract<T>): T | undefined {
  try {
    return app.get(type, { strict: false });
  } catch {
    return undefined;
  }
}

/** The whole of a service's `main.ts`. Without an argument the service runs; `migrate` brings its stores up to date and ends. */
export async function runService<S extends BaseSettings>(definition: ServiceDefinition<S>, environment: NodeJS.ProcessEnv, args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const [command = 'serve', ...rest] = args;
  const run = rest.length === 0 ? COMMANDS[command] : undefined;
  if (!run) return refuse(definition.name, `Unknown command ${args.join(' ')}. There is: migrate, or none to serve`);
  const settings = readSettings(definition, environment);
  const logger = createLogger(definition.name, settings.LOG_LEVEL);
  try {
    await run(definition as unknown as ServiceDefinition, settings, logger);
  } catch (error) {
    logger.fatal({ err: error }, `could not ${command === 'serve' ? 'start' : command}`);
    process.exit(1);
  }
}

type Command = (definition: ServiceDefinition, settings: BaseSettings, logger: Logger) => Promise<void>;

const COMMANDS: Readonly<Record<string, Command>> = { serve, migrate };

/** Boot, listen, and an orderly stop. */
async function serve(definition: ServiceDefinition, settings: BaseSettings, logger: Logger): Promise<void> {
  const app = await createService(definition, settings);
  tellWarnings(logger);
  tellUnheldFailures(logger, app.get(OpenRequests), app.get(MetricsRegistry));
  await app.init();
  await releaseMemory();
  await app.listen(settings.PORT, settings.HOST);
  stopOnSignals({
    begin: (reason) => {
      logger.info({ reason }, 'stopping');
      app.get(ReadinessChecks).drain();
    },
    close: () => app.close().catch((error: unknown) => logger.error({ err: error }, 'could not stop cleanly')),
    drainSeconds: settings.DRAIN_SECONDS,
  });
  logger.info({ port: settings.PORT }, 'listening');
}

async function migrate(definition: ServiceDefinition, settings: BaseSettings, logger: Logger): Promise<void> {
  await withStores(() => migrateService(definition, settings), logger);
  logger.info('the stores are up to date');
  process.exit(0);
}

/** A command has no health that could be waited for: stores that start at the same time, as after `docker compose restart`, it waits for itself. */
async function withStores(work: () => Promise<void>, logger: Logger): Promise<void> {
  const until = performance.now() + STORES_WITHIN_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isConnectionLost(error) || performance.now() > until) throw error;
      logger.info({ reason: error instanceof Error ? error.message : String(error) }, 'a store cannot be reached yet');
      await delay(STORE_LOOK_MS);
    }
  }
}

function readSettings<S extends BaseSettings>(definition: ServiceDefinition<S>, environment: NodeJS.ProcessEnv): S {
  try {
    return loadSettings(definition.settings, environment) as S;
  } catch (error) {
    return refuse(definition.name, error instanceof SettingsError ? error.message : String(error));
  }
}

function refuse(service: string, reason: string): never {
  process.stderr.write(`${service}: ${reason}\n`);
  process.exit(1);
}
