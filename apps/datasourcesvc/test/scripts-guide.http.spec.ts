import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import ts from 'typescript';
import { builtInComponents } from '../src/components/built-in-components';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';
import { EXPECTED_BY_SCRIPTS } from './consumer-contract/script-contract';
import { addressesAt, NS, ORCHESTRATORS, RunningService } from './running-service';
import { guideExamples } from './scripts-guide';

const TYPES = '/datasourcesvc/api/v1/script-types.d.ts';

describe('the guide to scripts, beside a platform', () => {
  const examples = guideExamples();
  let service: RunningService;
  let platform: PlatformStandIn;
  let gateway: Server;
  let owner: string;
  let folder: string;

  beforeAll(async () => {
    platform = await PlatformStandIn.start(EXPECTED_BY_SCRIPTS);
    service = await RunningService.start(builtInComponents({ scripts: { threads: 1, instantThreads: 1, seconds: 60 } }), addressesAt(platform.url));
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
    gateway = createServer((request, response) => {
      void (async () => {
        const origin = request.url?.startsWith('/datasourcesvc/') === true ? await service.app.getUrl() : platform.url;
        const body = await buffer(request);
        const { authorization = '', 'content-type': type = '' } = request.headers;
        const answer = await fetch(origin + String(request.url), { method: request.method ?? 'GET', headers: { authorization, ...(type !== '' && { 'content-type': type }) }, ...(body.length > 0 && { body }) });
        response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' }).end(Buffer.from(await answer.arrayBuffer()));
      })();
    });
    await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
    folder = await mkdtemp(join(tmpdir(), 'scripts-guide-'));
    for (const [name, source] of examples) await writeFile(join(folder, `${name}.mjs`), source);
  });
  afterAll(async () => {
    gateway?.closeAllConnections();
    gateway?.close();
    await service?.stop();
    await platform?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const tryScript = async (file: string, ...params: readonly string[]) => {
    const env = { BASE_URL: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`, TOKEN: owner, NAMESPACE: NS };
    return (await promisify(execFile)(process.execPath, ['try.mjs', file, ...params], { cwd: folder, env })).stdout.trim().split('\n');
  };

  it('tries a script, prints its log and its result, and leaves no orchestrator behind', async () => {
    const first = await tryScript('hello.mjs', '{ "name": "Ada" }');
    expect(first.at(-1)).toBe('COMPLETED {"greeting":"Hello Ada"}');
    expect(first).toContainEqual(expect.stringMatching(/ info {2}Hello from a script \{"run":/));
    expect(first).toContainEqual(expect.stringContaining('Runs script:hello, version 1'));
    await writeFile(join(folder, 'hello.mjs'), 'export default () => {\n  throw new Error("on purpose");\n};\n');
    const second = await tryScript('hello.mjs');
    expect(second).toContainEqual(expect.stringContaining('Runs script:hello, version 2'));
    expect(second.at(-1)).toBe('ERROR on purpose (line 2)');
    expect(platform.violations).toEqual([]);
    expect((await service.call(owner, 'get', ORCHESTRATORS).expect(200)).body).toMatchObject({ _total: 0 });
  });

  it('gives declarations to whoever has signed in, with which its typed example compiles', async () => {
    await service.call('x.y.z', 'get', TYPES).expect(401);
    await service.passport.grant('stranger', 'other_a1B2c3D4', ['READ']);
    const { text, headers } = await service.call(await service.passport.token('stranger'), 'get', TYPES).expect(200);
    expect(headers['content-type']).toMatch(/^text\/plain/);
    await writeFile(join(folder, 'script-types.d.ts'), text);
    const options: ts.CompilerOptions = {
      strict: true, checkJs: true, allowJs: true, noEmit: true, types: [], lib: ['lib.es2023.d.ts'], target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
    };
    const program = ts.createProgram({ rootNames: ['typed.mjs', 'script-types.d.ts'].map((name) => join(folder, name)), options });
    expect(ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
  });
});
