import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@twinyard/testing';
import { blocksOf } from '../../quickstart/page';
import { runBlocks } from '../../quickstart/run-page';
import { Api, type Fields, type Page } from '../../tour/api';
import { makeProject } from '../../tour/steps/project';
import { TourLog } from '../../tour/tour-log';
import { demoClientFile, readDemoClient } from '../demo-client';
import { firstRequests } from '../first-requests';
import { NPM_START, ROOT, RunningPlatform } from './running-platform';

const ROOMS = ['Archive', 'Hall', 'Kitchen', 'Landing', 'Meeting room', 'Office 1', 'Office 2', 'Workshop'];
const MINUTES = 60_000;
const silent = () => undefined;
const isWait = (line: string) => line.includes(' still starting ');
/** Every one that a terminal shows, npm's own and empty ones too. A start of over half a minute, which a busy machine may take, says a second time for what it waits. */
const linesOf = (printed: string) => printed.replace(/\n$/, '').split('\n').filter((line, index, all) => !isWait(line) || all.findIndex(isWait) === index);
/** Of the tour, which tells each of its steps. */
const isStep = (line: string) => /^ ?\d+\. /.test(line);
/** In the one line that `npm start` prints where it has compiled something: here that has been done before. */
const OF_THE_BUILD = 1;

describe('the first start, as somebody sees it who has just come', () => {
  let platform: RunningPlatform;
  beforeAll(async () => {
    // npm tells now and then that there is a newer one.
    platform = await RunningPlatform.start({ npm_config_update_notifier: 'false' }, [], NPM_START);
    await eventually(() => expect(platform.log).toContain('are kept in'), { timeoutMs: 5 * MINUTES, everyMs: 200 });
  }, 10 * MINUTES);
  afterAll(() => platform?.remove());

  const client = () => readDemoClient(demoClientFile(platform.dataDir));
  const token = async () => {
    const { API, CLIENT_ID, CLIENT_SECRET } = client();
    const authorization = `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`;
    const answer = await fetch(`${API}/passportsvc/api/v2/oauth/token`, { method: 'POST', headers: { authorization }, body: new URLSearchParams({ grant_type: 'client_credentials' }) });
    return ((await answer.json()) as { access_token: string }).access_token;
  };

  it('takes at most 25 lines beside the steps of the tour, those of npm too', async () => {
    const lines = linesOf(platform.log).filter((line) => !isStep(line));
    expect(lines).toContain('> node tools/start.mjs');
    expect(lines.length + OF_THE_BUILD > 25 ? lines : []).toEqual([]);
    const [, reference = ''] = /^ +Reference +(\S+)$/m.exec(platform.log) ?? [];
    expect((await fetch(reference)).status).toBe(200);
  });

  it('prints two lines that list the rooms of the building when they are copied into bash', () => {
    const { bash } = firstRequests(client());
    expect(platform.log).toContain(bash);
    const { _list } = JSON.parse(execFileSync('bash', ['-c', bash], { encoding: 'utf8' })) as Page<Fields>;
    expect(_list.map(({ longName }) => longName).sort()).toEqual(ROOMS);
  });

  it('answers the same to the lines of README.md', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'twinyard-readme-'));
    symlinkSync(platform.dataDir, join(folder, '.data'));
    const [answer = ''] = await runBlocks(blocksOf(readFileSync(join(ROOT, 'README.md'), 'utf8')), folder).finally(() => rmSync(folder, { recursive: true }));
    expect((JSON.parse(answer) as Page<Fields>)._list.map(({ longName }) => longName).sort()).toEqual(ROOMS);
  });

  it('prints the same for PowerShell', async () => {
    const { powerShell } = firstRequests(client());
    expect(platform.log).toContain(powerShell);
    const [, address = '', basic = ''] = /Invoke-RestMethod '([^']+)' -Method Post .*'(Basic [^']+)'/.exec(powerShell) ?? [];
    const answer = await fetch(address, { method: 'POST', headers: { authorization: basic }, body: new URLSearchParams({ grant_type: 'client_credentials' }) });
    const { access_token } = (await answer.json()) as { access_token: string };
    const [, rooms = ''] = /\nInvoke-RestMethod '([^']+)' -Headers/.exec(powerShell) ?? [];
    const { _total } = (await (await fetch(rooms, { headers: { authorization: `Bearer ${access_token}` } })).json()) as Page<Fields>;
    expect(_total).toBe(ROOMS.length);
  });

  it('keeps the client for its owner alone, and the second start prints it no second time, in at most 10 lines with those of npm', async () => {
    expect(statSync(demoClientFile(platform.dataDir)).mode & 0o777).toBe(0o600);
    await platform.stop();
    expect(platform.log).toMatch(/ stopped\n$/);
    const before = platform.log.length;
    await platform.restart();
    await eventually(() => expect(platform.log.slice(before)).toContain(demoClientFile(platform.dataDir)));
    expect(platform.log.slice(before)).not.toContain(client().CLIENT_SECRET);
    const lines = linesOf(platform.log.slice(before));
    expect(lines.length > 10 ? lines : []).toEqual([]);
  });

  it('gives that client the project, and nothing of another', async () => {
    const project = await makeProject({ baseUrl: platform.baseUrl, ...platform.admin, model: '', readings: '', print: silent }, new TourLog(silent));
    const demo = new Api(platform.baseUrl, await token());
    const created = (namespace: string) => demo.statusOf('POST', '/itemsvc/api/v1/nameduseritems', [{
      _name: 'Mine', _shortName: 'mine', _description: '', _namespaces: [namespace], _userType: 'mine', _itemClass: 'NamedUserCollection', _version: { _userAttributes: {} },
    }], { nsfilter: namespace });
    expect([await created(client().NAMESPACE), await created(project.namespace)]).toEqual([201, 403]);
    expect(await demo.statusOf('GET', '/passportsvc/api/v1/clients')).toBe(403);
  });
});
