import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../checks/repository/repository';

const ROOT = repositoryRoot();
const MODULES = join(ROOT, 'node_modules');
const LONGEST_MS = 120_000;

/** Makes a client of a reference, as docs/clients.md tells users to, and runs the quickstart by it. */
export interface ClientGenerator {
  /** Folder below tools/clients. */
  readonly name: string;
  /** What makes the client of `openapi.json`, where the quickstart is; what it prints is what it has to complain of. */
  generate(folder: string): Promise<string>;
  /** Whether there is a function, or a type, for an operation. */
  has(folder: string, operationId: string): boolean;
  /** What the quickstart prints. */
  run(folder: string, environment: NodeJS.ProcessEnv): Promise<string>;
}

async function run(folder: string, command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd: folder, timeout: LONGEST_MS, env: { ...process.env, NO_COLOR: '1', ...environment } });
    return stdout.trim();
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

const node = (folder: string, file: string, args: readonly string[], environment?: NodeJS.ProcessEnv) => run(folder, process.execPath, [join(MODULES, file), ...args], environment);

/** Types are held to, as in a project of its own. */
async function runTypeScript(folder: string, environment: NodeJS.ProcessEnv): Promise<string> {
  await node(folder, 'typescript/bin/tsc', ['-p', '.']);
  return run(folder, process.execPath, [join('build', 'quickstart.js')], environment);
}

export const openApiFetch: ClientGenerator = {
  name: 'openapi-fetch',
  generate: async (folder) => {
    await node(folder, 'openapi-typescript/bin/cli.js', ['openapi.json', '--output', 'twinyard.d.ts', '--default-non-nullable', 'false']);
    return '';
  },
  has: (folder, operationId) => readFileSync(join(folder, 'twinyard.d.ts'), 'utf8').includes(`\n    ${operationId}: {\n`),
  run: runTypeScript,
};

export const heyApi: ClientGenerator = {
  name: 'hey-api',
  generate: async (folder) => {
    const said = await node(folder, '@hey-api/openapi-ts/bin/run.js', ['--input', 'openapi.json', '--output', 'twinyard']);
    return said.includes('Done!') ? '' : said;
  },
  has: (folder, operationId) => readFileSync(join(folder, 'twinyard', 'sdk.gen.ts'), 'utf8').includes(`\nexport const ${operationId} = `),
  run: runTypeScript,
};

/** With openapi-python-client in its environment. */
export const pythonClient = (python: string): ClientGenerator => ({
  name: 'python',
  generate: async (folder) => {
    const said = await run(folder, python, ['-m', 'openapi_python_client', 'generate', '--path', 'openapi.json', '--config', 'config.yaml', '--output-path', 'twinyard', '--meta', 'setup']);
    return said.replace(/^Generating twinyard$/m, '').trim();
  },
  has: (folder, operationId) => {
    const api = join(folder, 'twinyard', 'twinyard_client', 'api');
    const file = `${operationId.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}.py`;
    return readdirSync(api, { recursive: true, encoding: 'utf8' }).some((path) => path.endsWith(`/${file}`));
  },
  run: (folder, environment) => run(folder, python, ['quickstart.py'], { ...environment, PYTHONPATH: join(folder, 'twinyard') }),
});

/** A project of a user's: the files of tools/clients, a reference, and what `npm install` would have brought. */
export function layOut(folder: string, { name }: ClientGenerator, document: string): void {
  cpSync(join(ROOT, 'tools', 'clients', name), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'openapi.json'), document);
  symlinkSync(MODULES, join(folder, 'node_modules'));
}
