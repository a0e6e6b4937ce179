import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli } from './cli';

/** Each test has a cache and a PATH of its own; `go` and `npm` are scripts of the test, so nothing is downloaded. */
let scratch: string;
let env: Record<string, string>;
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'twinyard-install-'));
  env = { ENGINES_CACHE: join(scratch, 'cache'), PATH: scratch };
});
afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const cached = () => readdirSync(join(scratch, 'cache'));

function plant(tool: string, ...lines: readonly string[]): void {
  const file = join(scratch, tool);
  writeFileSync(file, ['#!/bin/sh', `echo "$@" >> ${join(scratch, 'calls')}`, ...lines, ''].join('\n'));
  chmodSync(file, 0o755);
}
const plantGo = (...lines: readonly string[]) => plant('go', ...lines);

describe('installing', () => {
  it('asks for one exact version, and once', async () => {
    plantGo('echo built > $GOBIN/kustomize');
    expect(await cli(['install', 'kustomize'], env)).toMatchObject({ status: 0 });
    expect(await cli(['install', 'kustomize'], env)).toMatchObject({ status: 0 });
    expect(readFileSync(join(scratch, 'calls'), 'utf8')).toBe('install sigs.k8s.io/kustomize/kustomize/v5@v5.7.1\n');
    const { stdout } = await cli(['path', 'kustomize'], env);
    expect(readFileSync(stdout.trim(), 'utf8')).toBe('built\n');
  });

  it('needs no tool any more for what is installed', async () => {
    plantGo('echo built > $GOBIN/kustomize');
    await cli(['install', 'kustomize'], env);
    rmSync(join(scratch, 'go'));
    expect(await cli(['install', 'kustomize'], env)).toMatchObject({ status: 0 });
  });

  it('is done by one of two that come at once, and both have it', async () => {
    plantGo('/bin/sleep 0.3', 'echo built > $GOBIN/kustomize');
    const both = await Promise.all([cli(['install', 'kustomize'], env), cli(['install', 'kustomize'], env)]);
    expect(both.map(({ status }) => status)).toEqual([0, 0]);
    expect(readFileSync(join(scratch, 'calls'), 'utf8').trimEnd().split('\n')).toHaveLength(1);
    expect(cached()).toEqual(['kustomize-5.7.1']);
  });

  it('takes over from one that was killed', async () => {
    plantGo('echo built > $GOBIN/kustomize');
    await cli(['install', 'kustomize'], env);
    rmSync(join(scratch, 'cache', 'kustomize-5.7.1'), { recursive: true });
    writeFileSync(join(scratch, 'cache', 'kustomize.lock'), '1 of another time');
    expect(await cli(['install', 'kustomize'], env)).toMatchObject({ status: 0 });
    expect(cached()).toEqual(['kustomize-5.7.1']);
  });

  it.each([
    ['nothing is left of it', (home: string) => rmSync(join(home, 'kustomize'))],
    ['a file of it is empty, as after a crash of the machine', (home: string) => writeFileSync(join(home, 'kustomize'), '')],
  ])('is done again when %s', async (_what, spoil) => {
    plantGo('echo built > $GOBIN/kustomize');
    await cli(['install', 'kustomize'], env);
    spoil(join(scratch, 'cache', 'kustomize-5.7.1'));
    expect(await cli(['path', 'kustomize'], env)).toMatchObject({ status: 1 });
    expect(await cli(['install', 'kustomize'], env)).toMatchObject({ status: 0 });
    expect(readFileSync((await cli(['path', 'kustomize'], env)).stdout.trim(), 'utf8')).toBe('built\n');
    expect(cached()).toEqual(['kustomize-5.7.1']);
  });

  it('has what npm gets by its lock file, with the Node that it wants; where that one was left out, nothing', async () => {
    const node = `node_modules/node-${process.platform}-${process.arch}/bin`;
    plant('npm', `/bin/mkdir -p ${node}`, `printf '#!/bin/sh\\nexit 0\\n' > ${node}/node`, `/bin/chmod 755 ${node}/node`);
    expect(await cli(['install', 'pg-boss'], env)).toMatchObject({ status: 0 });
    expect(readFileSync(join(scratch, 'calls'), 'utf8')).toMatch(/^ci .*--ignore-scripts/);
    const home = (await cli(['path', 'pg-boss'], env)).stdout.trim();
    expect(readdirSync(home).sort()).toEqual(['node_modules', 'package-lock.json', 'package.json']);
    rmSync(join(scratch, 'cache'), { recursive: true });
    plant('npm');
    expect(await cli(['install', 'pg-boss'], env)).toMatchObject({ status: 3, stderr: expect.stringContaining(`${node}/node ended with`) as string });
    expect(cached()).toEqual([]);
  });

  it('names the tool that is missing', async () => {
    expect(await cli(['install', 'kustomize'], env)).toMatchObject({ status: 3, stderr: 'engines: kustomize is missing: go not found\n' });
    expect(await cli(['missing'], env)).toMatchObject({ status: 0, stdout: 'java\njavac\nmvn\ngo\n' });
  });

  it('says what the tool said when it fails, and leaves nothing half installed', async () => {
    plantGo('echo half > $GOBIN/kustomize', 'echo no such host >&2', 'exit 1');
    const { status, stderr } = await cli(['install', 'kustomize'], env);
    expect(status).toBe(3);
    expect(stderr).toContain('kustomize is missing: go ended with 1\nno such host');
    expect(cached()).toEqual([]);
    expect(existsSync((await cli(['path', 'kustomize'], env)).stdout.trim())).toBe(false);
  });
});
