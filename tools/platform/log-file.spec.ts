import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LogFile } from './log-file';
import { PlatformLog } from './platform-log';

const REQUEST = '{"level":"info","time":"2026-01-01T00:00:00.000Z","service":"itemsvc","requestId":"r-1","status":200,"msg":"request"}';

const LISTENING = '{"level":"info","time":"2026-01-01T00:00:00.000Z","service":"itemsvc","msg":"listening"}';

describe('the log of the platform', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'twinyard-log-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('keeps every line in a file of its owner; requests are in it alone, by their id', async () => {
    const shown: string[] = [];
    const log = new PlatformLog((text) => shown.push(text), { colour: false, verbose: false });
    const file = new LogFile(join(folder, 'logs', 'platform.log'), { maxBytes: 10_000, kept: 2 });
    log.keepIn(file);
    log.line('itemsvc', REQUEST);
    log.line('itemsvc', 'not JSON', 'warn');
    log.line('itemsvc', LISTENING);
    log.debug('is ready');
    log.info('starting');
    await file.close();
    expect(shown.join('')).toMatch(/not JSON[^]*starting/);
    expect(shown.join('')).not.toMatch(/r-1|listening|is ready\n/);
    const lines = readFileSync(join(folder, 'logs', 'platform.log'), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as object);
    expect(lines).toEqual([
      JSON.parse(REQUEST), { level: 'warn', time: expect.any(String), service: 'itemsvc', msg: 'not JSON' },
      JSON.parse(LISTENING), { level: 'debug', time: expect.any(String), service: 'platform', msg: 'is ready' },
      { level: 'info', time: expect.any(String), service: 'platform', msg: 'starting' },
    ]);
    expect(statSync(join(folder, 'logs', 'platform.log')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'logs')).mode & 0o777).toBe(0o700);
  });

  it('takes no more than its terms, the youngest lines last', async () => {
    const path = join(folder, 'platform.log');
    writeFileSync(path, 'x'.repeat(90));
    for (let part = 0; part < 8; part += 1) {
      const file = new LogFile(path, { maxBytes: 100, kept: 2 });
      file.write(`${part} ${'x'.repeat(60)}`);
      await file.close();
    }
    expect(readdirSync(folder).sort()).toEqual(['platform.log', 'platform.log.1', 'platform.log.2']);
    expect(['platform.log.2', 'platform.log.1', 'platform.log'].map((name) => readFileSync(join(folder, name), 'utf8')[0])).toEqual(['5', '6', '7']);
  });

  it('loses lines, and nothing else, when the disk does not take them', async () => {
    const file = new LogFile(join(folder, 'platform.log'), { maxBytes: 100, kept: 2 });
    rmSync(folder, { recursive: true });
    file.write('lost');
    await expect(file.close()).resolves.toBeUndefined();
  });
});
