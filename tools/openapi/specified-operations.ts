import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICES, type ServiceName } from '@twinyard/conventions';
import { type Documents, repositoryRoot } from './committed-files';

/** A row of the specification's `operations.csv`. */
export interface SpecifiedOperation {
  readonly service: string;
  readonly method: string;
  readonly path: string;
  /** Any of these is right. */
  readonly success: readonly string[];
}

/** The specification lies beside the repository, not in it. */
const OPERATIONS_FILE = join(repositoryRoot(), '..', 'shared', 'spec', 'operations.csv');

/** `undefined` where the specification is not at hand, or no text that could be read. */
export function readSpecifiedOperations(file = OPERATIONS_FILE): SpecifiedOperation[] | undefined {
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined;
  const [, ...rows] = readFileSync(file, 'utf8').trim().split('\n');
  return rows.map((row) => {
    const [service = '', method = '', path = '', success = ''] = row.trim().split(',');
    return { service, method, path, success: success.split('|') };
  });
}

/** The success codes of an operation; `undefined` when the service has none such, or one that can only refuse. */
export function documentedCodes(documents: Documents, { service, method, path }: SpecifiedOperation): string[] | undefined {
  const paths = documents.get(service as ServiceName)?.paths ?? {};
  const found = Object.entries(paths).find(([candidate, item]) => shape(candidate) === shape(path) && method.toLowerCase() in item);
  const operation = found?.[1][method.toLowerCase() as 'get'];
  const codes = Object.keys(operation?.responses ?? {}).filter((code) => /^[23]/.test(code));
  return codes.length === 0 ? undefined : codes;
}

/** Parameters have names of their own here and there, and queries are no part of a path. */
const shape = (path: string) => path.replace(/\?.*$/, '').replace(/\{[^}]*\}/g, '{}');

/** `POST /…: 200, specified 201`, for each operation that stands and answers something else. */
export function wrongCodes(documents: Documents, rows: readonly SpecifiedOperation[]): string[] {
  return rows.flatMap((row) => {
    const codes = documentedCodes(documents, row);
    if (codes === undefined || codes.some((code) => row.success.includes(code))) return [];
    return [`${row.method} ${row.path}: ${codes.join(', ')}, specified ${row.success.join(' or ')}`];
  });
}

export interface Coverage {
  readonly service: ServiceName;
  readonly held: number;
  readonly of: number;
}

export function coverage(documents: Documents, rows: readonly SpecifiedOperation[]): Coverage[] {
  return SERVICES.map((service) => {
    const own = rows.filter((row) => row.service === service);
    return { service, held: own.filter((row) => documentedCodes(documents, row) !== undefined).length, of: own.length };
  });
}
