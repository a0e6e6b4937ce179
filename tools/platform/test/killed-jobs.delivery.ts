import type { SERVICES } from '@twinyard/conventions';
import { eventually, PatientReceiver } from '@twinyard/testing';
import { FakeMailServer } from '@twinyard/testing/mail-server';
import type { Fields, Page } from '../../tour/api';
import { makeProject, type Project } from '../../tour/steps/project';
import { makeTrigger } from '../../tour/steps/trigger';
import { TourLog } from '../../tour/tour-log';
import { forgetPassword } from './forgotten-password';
import { HAS_PROC, RunningPlatform } from './running-platform';
import { type TableLock, Traces } from './traces';

const drill = HAS_PROC ? it : it.skip;
const silent = () => undefined;
/** What a busy machine may take for a start of a service, and then for the end of a lease. */
const PATIENCE = { timeoutMs: 120_000 };
const ROWS = 5_000;
const ITEMS = '/itemsvc/api/v1/nameduseritems';
const NOTIFICATIONS = '/notificationsvc/api/v1';
const RUNS = '/datasourcesvc/api/v1';

/**
 * Each kind of work that goes on behind an answer, in the hands of a process that dies. Imports of runs and purges die in `drills.delivery.ts`, what is done again
 * and again in `libs/jobs/test/killed`.
 */
describe('background jobs whose process is killed', () => {
  let platform: RunningPlatform;
  let traces: Traces;
  let project: Project;
  let mail: FakeMailServer;
  let receiver: PatientReceiver;
  let lock: TableLock | undefined;

  beforeAll(async () => {
    mail = await FakeMailServer.start();
    receiver = await PatientReceiver.start();
    platform = await RunningPlatform.start({ SMTP_URL: mail.url, WEBHOOK_ALLOW_PRIVATE: 'true' });
    const { baseUrl, admin } = platform;
    project = await makeProject({ baseUrl, ...admin, model: '', readings: '', print: silent }, new TourLog(silent));
    traces = await Traces.open(platform);
  }, 300_000);
  beforeEach(() => platform.ready());
  afterEach(() => lock?.release());
  afterAll(async () => {
    await traces?.close();
    await platform?.remove();
    await mail?.stop();
    await receiver?.stop();
  });

  const jobs = (service: (typeof SERVICES)[number], kind: string, state?: string) =>
    traces.query<{ state: string }>(service, 'SELECT state FROM job WHERE kind = $1 AND ($2::text IS NULL OR state = $2)', [kind, state ?? null]);
  const inHand = (service: (typeof SERVICES)[number], kind: string) => eventually(async () => expect(await jobs(service, kind, 'RUNNING')).not.toEqual([]), PATIENCE);
  const done = (service: (typeof SERVICES)[number], kind: string) => eventually(async () => expect(await jobs(service, kind)).toEqual([]), PATIENCE);
  const upload = async (name: string) => {
    const form = new FormData();
    form.set('file', new Blob([`words of ${name}`]), name);
    return project.owner.post<Fields>('/filesvc/api/v1/files', form, { _namespaces: project.namespace });
  };

  drill('draw a picture once', async () => {
    lock = await traces.lock({ service: 'filesvc', table: 'preview', mode: 'SHARE' });
    await lock.take();
    await upload('drawn.txt');
    await eventually(async () => expect(await lock?.waiting()).not.toEqual([]), PATIENCE);
    platform.kill('filesvc');
    await lock.release();
    await done('filesvc', 'filesvc.preview');
    const pictures = await traces.query(
      'filesvc', `SELECT FROM preview JOIN file_version ON file_version.id = preview.version_id JOIN file ON file.id = file_version.file_id WHERE file.name = 'drawn.txt'`);
    expect(pictures).toHaveLength(1);
  }, 300_000);

  drill('write the rows of an import once', async () => {
    const draft = { _name: 'Imported', _shortName: 'imported', _namespaces: [project.namespace], _userType: 'imported', _itemClass: 'NamedUserCollection', _version: { _userAttributes: {} } };
    const collection = String((await project.owner.post<Page<Fields>>(ITEMS, [draft]))._list[0]?.['_id']);
    const related = `${ITEMS}/${collection}/relateditems`;
    lock = await traces.lock({ service: 'itemsvc', table: 'doc_counters', mode: 'SHARE' });
    await lock.take();
    const rows = Array.from({ length: ROWS }, (_, n) => JSON.stringify({ n })).join('\n');
    const accepted = await fetch(new URL(`${related}/import?format=ndjson&nsfilter=${project.namespace}`, platform.baseUrl), {
      method: 'POST', body: rows, headers: { authorization: `Bearer ${String(project.owner.token)}`, 'content-type': 'application/x-ndjson' },
    });
    expect(accepted.status).toBe(202);
    await eventually(async () => expect(await lock?.waiting()).not.toEqual([]), PATIENCE);
    await inHand('itemsvc', 'requests.work');
    platform.kill('itemsvc');
    await lock.release();
    await done('itemsvc', 'requests.work');
    await platform.ready();
    expect((await project.owner.get<Page<Fields>>(related, { _pageSize: 1 }))._total).toBe(ROWS);
  }, 300_000);

  drill('send a notification, and say so', async () => {
    await makeTrigger(project, new TourLog(silent));
    const release = mail.hold();
    await upload('told.txt');
    await eventually(() => mail.find(({ subject }) => subject === 'New file: told.txt'), PATIENCE);
    platform.kill('notificationsvc');
    release();
    await done('notificationsvc', 'notificationsvc.mail');
    await platform.ready();
    const { _list } = await project.owner.get<Page<Fields>>(`${NOTIFICATIONS}/notification`, { _count: 10 });
    expect(_list).toMatchObject([{ _status: 'SENT', _attempts: 2 }]);
    expect(mail.find(({ subject }) => subject === 'New file: told.txt').messageId).toBeTruthy();
  }, 300_000);

  drill('call a webhook, and say so', async () => {
    const make = async (kind: string, body: Fields) => String((await project.owner.post<Fields>(`${NOTIFICATIONS}/${kind}`, { _name: `${kind} of the hook`, _namespaces: [project.namespace], ...body }))['_id']);
    const sender = await make('sender', { _transport: 'WEBHOOK', _webhook: { _userAgent: 'Drill/1' } });
    const template = await make('template', { _transport: 'WEBHOOK' });
    const group = await make('group', {});
    const device = await make('device', { _transport: 'WEBHOOK', _webhook: { _url: receiver.url } });
    await make('subscription', { _group: { _id: group }, _device: { _id: device } });
    const trigger = await make('trigger', {
      _type: 'EVENT', _event: { _filters: { filter: { event: 'resource.ResourceCreated', 'resource.type': 'filesvc.File', 'resource._name': 'hooked.txt' } } }, _senders: [{ _id: sender }], _templates: [{ _id: template }], _groups: [{ _id: group }],
    });
    await upload('hooked.txt');
    await eventually(() => expect(receiver.calls).toHaveLength(1), PATIENCE);
    platform.kill('notificationsvc');
    receiver.answer();
    await done('notificationsvc', 'notificationsvc.webhook');
    await platform.ready();
    const { _list } = await project.owner.get<Page<Fields>>(`${NOTIFICATIONS}/notification`, { '_trigger._id': trigger, _count: 10 });
    expect(_list).toMatchObject([{ _status: 'SENT', _attempts: 2 }]);
    // By its id whoever is called sees that it is the same.
    expect([receiver.calls.length, new Set(receiver.calls).size]).toEqual([2, 1]);
  }, 300_000);

  drill('see an instant run to its end, once, whose request died with it', async () => {
    const draft = {
      _name: 'Instant', _description: 'Of a drill', _namespaces: [project.namespace], _userType: 'drill', _schemaversion: '2.0', _instant: true,
      _params: { tasks: [{ name: 'ping', _name: 'Ping', _sequenceno: 1, _actualparams: {} }] },
    };
    const { id } = await project.owner.post<Fields>(`${RUNS}/orchestrators`, draft);
    lock = await traces.lock({ service: 'datasourcesvc', table: 'orchestrator_run_log', mode: 'SHARE' });
    await lock.take();
    const answer = fetch(new URL(`${RUNS}/orchrun?nsfilter=${project.namespace}`, platform.baseUrl), {
      method: 'POST', body: JSON.stringify({ orchestratorId: id }), headers: { authorization: `Bearer ${String(project.owner.token)}`, 'content-type': 'application/json' },
    }).then(({ status }) => status, () => 0);
    await eventually(async () => expect(await lock?.waiting()).not.toEqual([]), PATIENCE);
    platform.kill('datasourcesvc');
    await lock.release();
    expect(await answer).not.toBe(200);
    await done('datasourcesvc', 'datasourcesvc.instant-run');
    const logged = `SELECT run.state, log.message FROM orchestrator_run AS run JOIN orchestrator_run_log AS log ON log.run_id = run.id WHERE run.orchestrator_id = $1 AND log.message LIKE 'Run %'`;
    const runs = await traces.query<{ state: string; message: string }>('datasourcesvc', logged, [id]);
    expect(runs.map(({ state, message }) => `${state}: ${message}`).sort()).toEqual(['COMPLETED: Run ended: COMPLETED', 'COMPLETED: Run of "Instant" started']);
  }, 300_000);

  drill('send the link for a new password, once', async () => {
    const { email } = project.outsider;
    lock = await traces.lock({ service: 'passportsvc', table: 'password_reset', mode: 'SHARE' });
    await lock.take();
    await forgetPassword(platform.baseUrl, email);
    await eventually(async () => expect(await lock?.waiting()).not.toEqual([]), PATIENCE);
    platform.kill('passportsvc');
    await lock.release();
    const links = () => mail.count(({ to, subject }) => subject.startsWith('Set a new password') && to?.some(({ address }) => address === email) === true);
    await eventually(() => expect(links()).toBe(1), PATIENCE);
    for (const kind of ['passportsvc.reset-request', 'passportsvc.mail']) await done('passportsvc', kind);
    const resets = await traces.query('passportsvc', 'SELECT FROM password_reset JOIN app_user ON app_user.id = password_reset.user_id WHERE app_user.email = $1', [email]);
    expect([links(), resets.length]).toEqual([1, 1]);
  }, 300_000);

  drill('send a mail of passportsvc', async () => {
    const release = mail.hold();
    await fetch(new URL('/passportsvc/api/v1/accounts', platform.baseUrl), {
      method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ _email: 'newcomer@example.com', _password: 'a-long-password-of-theirs', _firstname: 'New', _lastname: 'Comer' }),
    });
    const toNewcomer = () => mail.count(({ to }) => to?.some(({ address }) => address === 'newcomer@example.com') === true);
    await eventually(() => expect(toNewcomer()).toBe(1), PATIENCE);
    platform.kill('passportsvc');
    release();
    await eventually(() => expect(toNewcomer()).toBe(2), PATIENCE);
    await done('passportsvc', 'passportsvc.mail');
    expect(toNewcomer()).toBe(2);
  }, 300_000);
});
