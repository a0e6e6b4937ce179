import { newUuid } from '@twinyard/conventions';
import { eventually } from '@twinyard/testing';
import request from 'supertest';
import { BASE, NotificationService, NS } from './notification-service';

const NOTICE = { 'resource.type': 'notificationsvc.Notice' };

describe('notices over HTTP', () => {
  let service: NotificationService;

  beforeAll(async () => {
    service = await NotificationService.start();
  });
  afterAll(() => service?.stop());

  /** The owner hears by mail of notices of this name. */
  const subscribe = async (name: string, filter: object = {}) => {
    const sender = await service.make('sender', { _transport: 'EMAIL', _email: { _address: 'house@example.com' } });
    const template = await service.make('template', { _transport: 'EMAIL', _email: { _subject: '$request.resource._name', _body: '$request.resource._message ($request.resource._data.rows)' } });
    const group = await service.make('group', {});
    const references = { _senders: [{ _id: sender._id }], _templates: [{ _id: template._id }], _groups: [{ _id: group._id }] };
    const trigger = await service.make('trigger', { _type: 'EVENT', _event: { _filters: { filter: { ...NOTICE, 'resource._name': name, ...filter } } }, ...references });
    await service.make('subscription', { _group: { _id: group._id } });
    return trigger;
  };
  const tell = async (body: object) => (await service.call('post', 'notification').send(body).expect(200)).body as { _eventId: string };
  const heard = (subject: string) => eventually(() => service.mail.find((mail) => mail.subject === subject));
  const logOf = async (eventId: string) => (await service.call('get', 'notification').query({ _eventId: eventId }).expect(200)).body._list as { _status: string; _trigger: { _id: string } }[];

  /** What was told so far has been given to all who hear of it. Looked at twice: an event passes from the outbox into the log between two figures of one look. */
  const handled = async () => {
    for (let looks = 0; looks < 2; looks += 1) {
      await eventually(async () => {
        const { text } = await request(service.app.getHttpServer()).get('/metrics').expect(200);
        const waiting = [...text.matchAll(/^events_(?:outbox_backlog|lag)(?:\{[^}]*\})? (\S+)$/gm)].map(([, figure]) => Number(figure));
        expect([waiting.length > 1, waiting.filter((figure) => figure !== 0)]).toEqual([true, []]);
      });
    }
  };

  it('are told to whoever triggers say, and the log knows to whom', async () => {
    const trigger = await subscribe('Import*');
    const told = await tell({ _name: 'Import done', _message: '3 rows are refused', _data: { rows: 3, level: 'high' } });
    expect(told).toEqual({ _eventId: expect.stringMatching(/^[0-9a-f-]{36}$/), _name: 'Import done', _namespaces: [NS] });
    expect((await heard('Import done')).text).toContain('3 rows are refused (3)');
    await eventually(async () => expect(await logOf(told._eventId)).toMatchObject([{ _status: 'SENT', _trigger: { _id: trigger._id } }]));
  });

  it('are met by filters on what they hold, and told to nobody where none fits', async () => {
    await subscribe('Alarm*', { 'resource._data.level': 'high' });
    const unheard = await tell({ _name: 'Alarm of the basement', _data: { level: 'low' } });
    await tell({ _name: 'Alarm of the roof', _data: { level: 'high' } });
    await heard('Alarm of the roof');
    await handled();
    expect(await logOf(unheard._eventId)).toEqual([]);
  });

  it('are told once, however often one comes', async () => {
    await subscribe('Repeated*');
    const _eventId = newUuid();
    for (const _name of ['Repeated once', 'Repeated once']) expect(await tell({ _name, _eventId })).toMatchObject({ _eventId });
    await tell({ _name: 'Repeated last' });
    for (const name of ['Repeated once', 'Repeated last']) await heard(name);
    await handled();
    expect([service.mail.count(({ subject }) => subject === 'Repeated once'), (await logOf(_eventId)).length]).toEqual([1, 1]);
  });

  it('have every bad field named at once', async () => {
    const { body } = await service.call('post', 'notification').send({ _name: '', _message: 7, _data: [], _eventId: 'x' }).expect(400);
    expect([...new Set((body.details as { field: string }[]).map(({ field }) => field))].sort()).toEqual(['_data', '_eventId', '_message', '_name']);
    expect((await service.call('post', 'notification').send({ _name: 'n', _data: { a: 'ü'.repeat(8_200) } }).expect(400)).body.details).toEqual([{ field: '_data', issue: 'must have at most 16384 bytes as JSON (it is an object)' }]);
    expect((await service.call('post', 'notification').send([]).expect(400)).body.message).toBe('body: must be an object (it is an array of 0 entries)');
    expect((await service.call('post', 'notification').send({ _name: 'n', _namespaces: [NS, 'other_a1B2c3D4'] }).expect(400)).body.details[0].field).toBe('_namespaces');
  });

  it('are for who may CREATE notifications in the namespace', async () => {
    const post = async (token: string | undefined) => {
      const asked = request(service.app.getHttpServer()).post(`${BASE}/notification`).query({ nsfilter: NS });
      return (await (token === undefined ? asked : asked.set('authorization', `Bearer ${token}`)).send({ _name: 'Not for you' })).status;
    };
    await service.passport.grant('reader', NS, ['READ']);
    await service.passport.grant('teller', NS, ['CREATE'], 'notificationsvc:notification:*');
    await service.passport.grant('stranger', 'other_a1B2c3D4', ['*']);
    const tokens = await Promise.all(['reader', 'teller', 'stranger'].map((user) => service.passport.token(user)));
    expect([await post(undefined), ...(await Promise.all(tokens.map(post)))]).toEqual([401, 403, 200, 403]);
    expect(await post(await service.passport.token('owner', { scopes: ['read'] }))).toBe(403);
  });
});
