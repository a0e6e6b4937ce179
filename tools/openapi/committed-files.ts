import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { ServiceName } from '@twinyard/conventions';

export type Documents = ReadonlyMap<ServiceName, OpenAPIObject>;

/** The repository, seen from the sources as from the build. */
export function repositoryRoot(from = __dirname): string {
  return existsSync(join(from, 'nx.json')) ? from : repositoryRoot(dirname(from));
}

const documentFile = (service: ServiceName) => join('apps', service, 'openapi.json');

const textOf = (document: OpenAPIObject) => `${JSON.stringify(document, null, 2)}\n`;
const readOrEmpty = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '');

/** The committed files that do not say what the services are. */
export function staleDocuments(documents: Documents, root = repositoryRoot()): string[] {
  const stale = [...documents].filter(([service, document]) => readOrEmpty(join(root, documentFile(service))) !== textOf(document));
  return stale.map(([service]) => documentFile(service));
}

export function writeDocuments(documents: Documents, root = repositoryRoot()): void {
  for (const [service, document] of documents) writeFileSync(join(root, documentFile(service)), textOf(document));
}
