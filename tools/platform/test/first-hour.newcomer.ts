import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort, sharedData } from '@twinyard/testing';
import { differences } from '../../quickstart/differences';
import { blocksOf, type Block } from '../../quickstart/page';
import { runBlocks } from '../../quickstart/run-page';
import { ROOT } from './running-platform';

const MINUTE_MS = 60_000;
/** Of who has a machine with two cores, and packages at hand. */
const PATIENCE_MS = 5 * MINUTE_MS;
/** Of docs/quickstart.md: how far a newcomer comes here. The rest of the page is typed in `npm test`. */
const [BEHIND_ITEMS, PICTURE] = ['## 4. Relations', '## 6. A file and its picture'];
const SAMPLE = 'tools/sample/sample-building.ifc';
const READINGS = 'tools/sample/sample-readings.csv';

/** Everything that a newcomer has: a clone, its pages, and a building of one's own. */
describe('a newcomer, with the README alone', () => {
  const home = mkdtempSync(join(tmpdir(), 'twinyard-newcomer-'));
  const clone = join(home, 'twinyard');
  let platform: ChildProcess | undefined;
  let printed = '';
  let environment: NodeJS.ProcessEnv = {};

  beforeAll(() => {
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', ROOT, clone]);
    copyFileSync(sharedData('duplex.ifc') ?? join(clone, SAMPLE), join(clone, 'building.ifc'));
    copyFileSync(join(clone, READINGS), join(clone, 'history.csv'));
  });
  afterAll(async () => {
    await stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });
  }, MINUTE_MS);

  const page = (file: string) => readFileSync(join(clone, file), 'utf8');
  /** The first line of the first block that is no shell script: `npm ci && npm start`. */
  const startCommand = () => /^```\n(.*)\n/m.exec(page('README.md'))?.[1] ?? '';
  const tourCommand = () => /^```\n(npm run tour .*)\n```/m.exec(page('README.md'))?.[1] ?? '';
  const sectionOf = (markdown: string, heading: string) => markdown.slice(markdown.indexOf(heading)).split(/\n(?=## )/)[0] ?? '';

  async function start(): Promise<void> {
    environment = { ...process.env, PORT: String(await freePort()), POSTGRES_PORT: String(await freePort()) };
    platform = spawn('bash', ['-c', startCommand()], { cwd: clone, env: environment, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [platform.stdout, platform.stderr]) stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    await eventually(() => {
      if (platform?.exitCode !== null) throw new Error(`it ended:\n${printed}`);
      expect(printed).toContain('are kept in');
    }, { timeoutMs: PATIENCE_MS, everyMs: 250 });
  }

  /** As whoever ends a terminal does: npm, its shell and the platform are all told to end. */
  async function stop(): Promise<void> {
    if (platform?.pid === undefined || platform.exitCode !== null || platform.signalCode !== null) return;
    const ended = new Promise((resolve) => platform?.once('close', resolve));
    process.kill(-platform.pid, 'SIGTERM');
    await ended;
  }

  const type = (blocks: readonly Block[]) => runBlocks(blocks, clone, { TMPDIR: home });

  it('has an item and the picture of a building of one\'s own within five minutes', async () => {
    expect(startCommand()).toBe('npm ci && npm start');
    await start();
    const [rooms = ''] = await type(blocksOf(page('README.md')));
    expect((JSON.parse(rooms) as { _total: number })._total).toBe(8);
    const quickstart = page('docs/quickstart.md');
    const upToItems = blocksOf(quickstart.slice(0, quickstart.indexOf(BEHIND_ITEMS)));
    const said = await type([...upToItems, ...blocksOf(sectionOf(quickstart, PICTURE).replace(SAMPLE, 'building.ifc'))]);
    expect(differences(upToItems.at(-1)?.answer, JSON.parse(said[upToItems.length - 1] ?? ''))).toEqual([]);
    expect(JSON.parse(said.at(-1) ?? '')).toEqual([expect.objectContaining({ _width: 640, _height: 480 })]);
    const folder = readdirSync(home).find((name) => name.startsWith('tmp.') && readdirSync(join(home, name)).includes('plan.png')) ?? '';
    expect(readFileSync(join(home, folder, 'plan.png')).subarray(1, 4).toString()).toBe('PNG');
  }, PATIENCE_MS);

  it('takes a building and readings of one\'s own through the tour', async () => {
    expect(tourCommand()).toBe('npm run tour -- --model building.ifc --readings history.csv');
    const { stdout } = await promisify(execFile)('bash', ['-c', tourCommand()], { cwd: clone, env: environment, timeout: 2 * MINUTE_MS });
    const steps = stdout.split('\n').filter((line) => /^ ?\d+\. /.test(line));
    expect(steps.length).toBeGreaterThan(20);
    expect(steps.join('\n')).toContain('building.ifc');
  }, 2 * MINUTE_MS);

  it('has all of it stop in order when the terminal ends', async () => {
    await stop();
    expect(printed).toContain(' stopped\n');
  }, MINUTE_MS);
});
