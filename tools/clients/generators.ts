import { execFile } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot } from '../checks/repository/repository';
import { withoutColours } from '../checks/without-colours';
import { type GeneratedClient, heyApiClient, openApiFetchClient, pythonClientIn } from './generated-clients';

const ROOT = repositoryRoot();
const MODULES = join(ROOT, 'node_modules');
const LONGEST_MS = 120_000;

/** Makes a client of a reference, as docs/clients.md tells users to, and runs the quickstart by it. */
export interface ClientGenerator {
  /** Folder below tools/clients. */
  readonly name: string;
  /** What makes the client of `openapi.json`, where the quickstart is; gives what it has to complain of, line by line. */
  generate(folder: string): Promise<string[]>;
  /** What it has made there. */
  made(folder: string): GeneratedClient;
  /** What the quickstart prints. */
  run(folder: string, environment: NodeJS.ProcessEnv): Promise<string>;
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
}

async function end(folder: string, command: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<Output> {
  try {
    return await promisify(execFile)(command, args, { cwd: folder, timeout: LONGEST_MS, env: { ...process.env, NO_COLOR: '1', ...environment } });
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string };
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout}${stderr}`, { cause: error });
  }
}

const run = async (...program: Parameters<typeof end>): Promise<string> => (await end(...program)).stdout.trim();

/** What a generator says besides `usual`, wherever it says it: some warn, leave something out, and end with 0. */
async function complaints(usual: RegExp, ...program: Parameters<typeof end>): Promise<string[]> {
  const { stdout, stderr } = await end(...program);
  return withoutColours(`${stdout}\n${stderr}`).split('\n').map((line) => line.trim()).filter((line) => line !== '' && !usual.test(line));
}

const moduleFile = (file: string) => join(MODULES, file);

/** Types are held to, as in a project of its own. */
async function runTypeScript(folder: string, environment: NodeJS.ProcessEnv): Promise<string> {
  await end(folder, process.execPath, [moduleFile('typescript/bin/tsc'), '-p', '.']);
  return run(folder, process.execPath, [join('build', 'quickstart.js')], environment);
}

export const openApiFetch: ClientGenerator = {
  name: 'openapi-fetch',
  generate: (folder) => complaints(/^(✨ openapi-typescript |🚀 openapi\.json → )/, folder, process.execPath, [
    moduleFile('openapi-typescript/bin/cli.js'), 'openapi.json', '--output', 'twinyard.d.ts', '--default-non-nullable', 'false',
  ]),
  made: openApiFetchClient,
  run: runTypeScript,
};

export const heyApi: ClientGenerator = {
  name: 'hey-api',
  generate: (folder) => complaints(/^(@hey-api\/openapi-ts v|\[Job 1\] +(⏳ Generating from 1 input:$|\[1\] openapi\.json$|✅ Done! ))/, folder, process.execPath, [
    moduleFile('@hey-api/openapi-ts/bin/run.js'), '--input', 'openapi.json', '--output', 'twinyard',
  ]),
  made: heyApiClient,
  run: runTypeScript,
};

/** With openapi-python-client in its environment. */
export const pythonClient = (python: string): ClientGenerator => ({
  name: 'python',
  generate: (folder) => complaints(/^Generating twinyard$/, folder, python, [
    '-m', 'openapi_python_client', 'generate', '--path', 'openapi.json', '--config', 'config.yaml', '--output-path', 'twinyard', '--meta', 'setup', '--fail-on-warning',
  ]),
  made: pythonClientIn,
  run: (folder, environment) => run(folder, python, ['quickstart.py'], { ...environment, PYTHONPATH: join(folder, 'twinyard') }),
});

/** A project of a user's: the files of tools/clients, a reference, and what `npm install` would have brought. */
export function layOut(folder: string, { name }: ClientGenerator, document: string): void {
  cpSync(join(ROOT, 'tools', 'clients', name), folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'openapi.json'), document);
  symlinkSync(MODULES, join(folder, 'node_modules'));
}
