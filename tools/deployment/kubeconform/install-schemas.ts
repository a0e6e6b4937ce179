import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { customSchemas } from './custom-resources';
import { GATEWAY_API, type GoModule, moduleFolder } from './go-module';
import { type Definitions, strictSchemas } from './json-schemas';

/** What the authors of an API say of it in their own Go module: of the version that the manifests are written for. */
interface Source extends GoModule {
  /** Of its folder in the cache. */
  readonly name: string;
  readonly schemasIn: (folder: string) => ReadonlyMap<string, object>;
}

const SOURCES: readonly Source[] = [
  { module: 'k8s.io/kubernetes', version: 'v1.34.1', name: 'kubernetes-schemas', schemasIn: schemasOfKubernetes },
  { ...GATEWAY_API, name: 'gateway-api-schemas', schemasIn: schemasOfGatewayApi },
];

export interface Schemas {
  readonly folders: readonly string[];
  /** Whether none is missing: then a kind without a schema is a kind that there is not. */
  readonly areWhole: boolean;
}

/** The folders of schemas in the cache, made when they are not there; without those whose module cannot be had, and it is said why. */
export function installSchemas(cache: string, say: (line: string) => void): Schemas {
  const folders = SOURCES.flatMap((source) => install(source, cache, say) ?? []);
  return { folders, areWhole: folders.length === SOURCES.length };
}

function install({ module, version, name, schemasIn }: Source, cache: string, say: (line: string) => void): string | undefined {
  const folder = join(cache, `${name}-${version}`);
  if (existsSync(folder)) return folder;
  say(`downloading ${module} ${version} for its schemas (once)`);
  const source = moduleFolder({ module, version }, cache, say);
  if (source === undefined) return undefined;
  const part = mkdtempSync(`${folder}.part-`);
  for (const [file, schema] of schemasIn(source)) writeFileSync(join(part, file), JSON.stringify(schema));
  moveTo(part, folder);
  return folder;
}

function schemasOfKubernetes(folder: string): ReadonlyMap<string, object> {
  const { definitions } = JSON.parse(readFileSync(join(folder, 'api', 'openapi-spec', 'swagger.json'), 'utf8')) as { definitions: Definitions };
  return strictSchemas(definitions);
}

/** Of its standard channel: what is experimental may not be in a cluster. */
function schemasOfGatewayApi(folder: string): ReadonlyMap<string, object> {
  const standard = join(folder, 'config', 'crd', 'standard');
  return customSchemas(readdirSync(standard).map((file) => readFileSync(join(standard, file), 'utf8')).join('\n---\n'));
}

/** Another run may have been faster; both made the same. */
function moveTo(part: string, folder: string): void {
  try {
    renameSync(part, folder);
  } catch (error) {
    rmSync(part, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}
