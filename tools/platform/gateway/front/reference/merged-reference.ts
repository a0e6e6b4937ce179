import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { mergedDocument, type ServiceDocument } from './merged-document';

export const MERGED_PATH = '/api/openapi.json';

/** As they are committed, which is what the services serve. Written out: an image gets the files that its programs name so. */
const FILES: Readonly<Record<ServiceName, string>> = {
  passportsvc: join(__dirname, '..', '..', '..', '..', '..', 'apps', 'passportsvc', 'openapi.json'),
  itemsvc: join(__dirname, '..', '..', '..', '..', '..', 'apps', 'itemsvc', 'openapi.json'),
  filesvc: join(__dirname, '..', '..', '..', '..', '..', 'apps', 'filesvc', 'openapi.json'),
  datasourcesvc: join(__dirname, '..', '..', '..', '..', '..', 'apps', 'datasourcesvc', 'openapi.json'),
  aisvc: join(__dirname, '..', '..', '..', '..', '..', 'apps', 'aisvc', 'openapi.json'),
  metricsvc: join(__dirname, '..', '..', '..', '..', '..', 'apps', 'metricsvc', 'openapi.json'),
  notificationsvc: join(__dirname, '..', '..', '..', '..', '..', 'apps', 'notificationsvc', 'openapi.json'),
};

let text: string | undefined;

/** JSON; put together when it is first asked for. */
export function mergedReference(): string {
  text ??= JSON.stringify(mergedDocument(new Map(SERVICES.map((service) => [service, JSON.parse(readFileSync(FILES[service], 'utf8')) as ServiceDocument]))));
  return text;
}
