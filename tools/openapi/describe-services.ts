import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { type BaseSettings, describeService, loadSettings, type ServiceDefinition } from '@twinyard/service-kit';

/** Enough to have the modules put together; nothing is connected to and no value reaches the document. */
const ENVIRONMENT = {
  BASE_URL: 'http://localhost:8080',
  DATABASE_URL: 'postgres://unused',
  EVENTS_DATABASE_URL: 'postgres://unused',
  PASSPORT_URL: 'http://unused',
  ITEMSVC_URL: 'http://unused',
  FILESVC_URL: 'http://unused',
  DATASOURCESVC_URL: 'http://unused',
  AISVC_URL: 'http://unused',
  METRICSVC_URL: 'http://unused',
  NOTIFICATIONSVC_URL: 'http://unused',
  SERVICE_TOKEN: 'unused-unused-unused',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
};

/** A service as its `service.ts` defines it. The path is the same in the sources and in the build. */
export async function definitionOf(service: ServiceName): Promise<ServiceDefinition> {
  const file = join(__dirname, '..', '..', 'apps', service, 'src', 'service');
  return ((await import(file)) as { readonly service: ServiceDefinition }).service;
}

async function describeOne(service: ServiceName): Promise<OpenAPIObject> {
  const definition = await definitionOf(service);
  return inStableOrder(await describeService(definition, loadSettings(definition.settings, ENVIRONMENT) as BaseSettings));
}

/** Service → its document. */
export async function describeServices(): Promise<ReadonlyMap<ServiceName, OpenAPIObject>> {
  const documents = new Map<ServiceName, OpenAPIObject>();
  for (const service of SERVICES) documents.set(service, await describeOne(service));
  return documents;
}

/** Paths and schemas by name: moving a controller changes nothing in the committed file. */
function inStableOrder(document: OpenAPIObject): OpenAPIObject {
  const { schemas, ...components } = document.components ?? {};
  return { ...document, paths: sorted(document.paths), components: { ...components, ...(schemas && { schemas: sorted(schemas) }) } };
}

const sorted = <T>(values: Record<string, T>): Record<string, T> => Object.fromEntries(Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1)));
