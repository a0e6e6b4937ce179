import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Definitions, strictSchemas } from './json-schemas';

/** Kubernetes' own description of its API, in its Go module: of the version that the manifests are written for. */
const MODULE = 'k8s.io/kubernetes';
const VERSION = 'v1.34.1';

/** The folder of schemas in the cache, made when it is not there; `undefined`, and why, when the module cannot be had. */
export function installSchemas(cache: string, say: (line: string) => void): string | undefined {
  const folder = join(cache, `kubernetes-schemas-${VERSION}`);
  if (existsSync(folder)) return folder;
  say(`downloading ${MODULE} ${VERSION} for its schemas (once)`);
  const source = download(cache, say);
  if (source === undefined) return undefined;
  const { definitions } = JSON.parse(readFileSync(join(source, 'api', 'openapi-spec', 'swagger.json'), 'utf8')) as { definitions: Definitions };
  const part = mkdtempSync(`${folder}.part-`);
  for (const [file, schema] of strictSchemas(definitions)) writeFileSync(join(part, file), JSON.stringify(schema));
  moveTo(part, folder);
  return folder;
}

function download(cache: string, say: (line: string) => void): string | undefined {
  mkdirSync(cache, { recursive: true });
  const { status, stdout, stderr, error } = spawnSync('go', ['mod', 'download', '-json', `${MODULE}@${VERSION}`], {
    cwd: cache, encoding: 'utf8', timeout: 600_000, env: { ...process.env, GOFLAGS: '-mod=mod', GO111MODULE: 'on' },
  });
  if (status === 0) return (JSON.parse(stdout) as { Dir: string }).Dir;
  say(`${MODULE} cannot be had: ${error?.message ?? (stderr || stdout).trim()}`);
  return undefined;
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
