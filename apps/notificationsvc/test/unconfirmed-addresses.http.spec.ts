import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import { FakeMailServer } from '@twinyard/testing/mail-server';
import request from 'supertest';
import { LinkSigner } from '../src/links/link-signer';
import { ResourcesRepository } from '../src/resources/resources.repository';
import { type Made, NotifiedHouse } from './notified-house';

const NS = 'house_a1B2c3D4';
const SUBJECT = 'Please confirm that you want notifications at this address';

describe('mails to addresses', () => {
  let house: NotifiedHouse;
  let mail: FakeMailServer;
  let owner: string;

  beforeEach(async () => {
    house = await NotifiedHouse.start();
    mail = await FakeMailServer.start();
    owner = await house.passport.token('owner');
    house.passport.addUser({ id: 'owner' });
    await house.passport.grant('owner', NS, ['*']);
  });

  afterEach(async () => {
    await house?.stop();
    await mail?.stop();
  });

  const person = async (id: string, emailVerified: boolean) => {
    house.passport.addUser({ id, emailVerified });
    await house.passport.grant(id, NS, ['*'], 'notificationsvc:*:*');
    return house.passport.token(id);
  };
  const subscribe = (token: string, group: Made, _device?: { _id: string }) => house.make(token, NS, 'subscription', { _group: { _id: group._id }, ...(_device && { _device }) });
  const log = (trigger: Made) => house.logOf(owner, NS, trigger);
  const settled = (trigger: Made, count: number) => eventually(async () => {
    const all = await log(trigger);
    expect(all.filter(({ _status }) => _status !== 'SENDING')).toHaveLength(count);
    return all;
  });
  const sentTo = (address: string) => mail.count(({ to }) => to?.[0]?.address === address);
  const follow = async (address: string) => {
    const asked = await eventually(() => mail.find(({ subject, to }) => subject === SUBJECT && to?.[0]?.address === address));
    const path = new URL(/https?:\/\/\S+/.exec(asked.text ?? '')?.[0] ?? '').pathname;
    expect((await request(house.app.getHttpServer()).get(path).expect(200)).text).toContain('<form method="post">');
    await request(house.app.getHttpServer()).post(path).expect(200);
    return { asked, path };
  };
  const statusOf = async (subscription: Made) => (await house.call(owner, 'get', `subscription/${subscription._id}`, NS).expect(200)).body._status as string;

  it('that nobody has confirmed: one confirmation mail in our own words, and nothing else before its link', async () => {
    await house.boot({ SMTP_URL: mail.url });
    const victim = await person('victim', false);
    const { group, trigger } = await house.makeTrigger(owner, NS, 'EMAIL', 'spam.ifc');
    const { group: second } = await house.makeTrigger(owner, NS, 'EMAIL', 'more.ifc');
    const first = await subscribe(victim, group);
    const other = await subscribe(victim, second);
    expect([first['_status'], other['_status']]).toEqual(['REQUESTED', 'REQUESTED']);
    // Nobody who may edit takes it up for them, nor by sending the whole record back.
    await house.call(owner, 'put', `subscription/${first._id}`, NS).send({ ...first, _status: 'ACCEPTED' }).expect(403);
    await house.call(owner, 'put', `subscription/${first._id}`, NS).send({ ...first, _description: 'x' }).expect(200);
    const { trigger: beside, group: heard } = await house.makeTrigger(owner, NS, 'EMAIL', 'spam.ifc');
    await subscribe(owner, heard);
    await house.upload(NS, 'spam.ifc', 3);
    // Evaluated before anybody else subscribes: each event finds both triggers at once.
    await settled(beside, 3);
    const own = await subscribe(owner, group);
    await house.upload(NS, 'spam.ifc');
    await settled(trigger, 1);
    expect([await statusOf(first), await statusOf(own)]).toEqual(['REQUESTED', 'ACCEPTED']);
    const { asked } = await follow('victim@example.com');
    expect([asked.from?.address, asked.html]).toEqual(['no-reply@localhost', undefined]);
    expect(asked.text).not.toContain('Anybody');
    expect(sentTo('victim@example.com')).toBe(1);
    expect([await statusOf(first), await statusOf(other)]).toEqual(['ACCEPTED', 'ACCEPTED']);
    await house.upload(NS, 'spam.ifc');
    await eventually(() => expect(sentTo('victim@example.com')).toBe(2));
  });

  it('of another than the account: the same; what was cancelled there is asked anew, and the words of a template lead nowhere', async () => {
    await house.boot({ SMTP_URL: mail.url });
    const { group, trigger } = await house.makeTrigger(owner, NS, 'EMAIL', 'far.ifc');
    const words = 'Hello, this is the house. Pay at https://evil.example/now or evil.example! $acceptLink';
    const template = await house.make(owner, NS, 'template', { _transport: 'EMAIL', _email: { _subject: 'YOU HAVE WON', _body: words } });
    const sender = await house.make(owner, NS, 'sender', { _transport: 'EMAIL', _email: { _address: 'bank@example.com', _displayName: 'Bank' }, _templates: { SUBSCRIBE_VERIFY: template._id } });
    await house.call(owner, 'put', `trigger/${trigger._id}`, NS).send({ ...trigger, _senders: [{ _id: sender._id }] }).expect(200);
    const device = await house.make(owner, NS, 'device', { _transport: 'EMAIL', _email: { _address: 'far@example.com' } });
    expect(device['_email']).toEqual({ _address: 'far@example.com', _confirmedAt: null });
    const subscription = await subscribe(owner, group, device);
    expect(subscription['_status']).toBe('REQUESTED');
    const { asked } = await follow('far@example.com');
    expect(asked).toMatchObject({ subject: SUBJECT, from: { address: 'no-reply@localhost' } });
    expect(asked.text).toContain('> Hello, this is the house.');
    expect(asked.text).not.toMatch(/evil\.example|WON|Bank/);
    expect(await statusOf(subscription)).toBe('ACCEPTED');
    await house.upload(NS, 'far.ifc');
    expect(await settled(trigger, 1)).toMatchObject([{ _status: 'SENT' }]);
    await house.call(owner, 'put', `subscription/${subscription._id}`, NS).send({ _group: { _id: group._id }, _status: 'CANCELLED' }).expect(200);
    const { body: again } = await house.call(owner, 'put', `subscription/${subscription._id}`, NS).send({ _group: { _id: group._id }, _status: 'ACCEPTED' }).expect(200);
    expect(again._status).toBe('REQUESTED');
  });

  it('are withdrawn, and subscriptions end, although their owner changes both in the same moment', async () => {
    await house.boot({ SMTP_URL: mail.url });
    const { group, trigger } = await house.makeTrigger(owner, NS, 'EMAIL', 'far.ifc');
    const device = await house.make(owner, NS, 'device', { _transport: 'EMAIL', _email: { _address: 'far@example.com' } });
    const subscription = await subscribe(owner, group, device);
    await follow('far@example.com');
    const edit = async (path: string) => {
      const { body } = await house.call(owner, 'get', path, NS).expect(200);
      await house.call(owner, 'put', path, NS).send({ ...body, _description: 'edited' }).expect(200);
    };
    const resources = house.app.get(ResourcesRepository);
    const replace = resources.replace.bind(resources);
    const spy = jest.spyOn(resources, 'replace').mockImplementationOnce(async (...stored) => {
      spy.mockImplementation(replace);
      await edit(`subscription/${subscription._id}`);
      await edit(`device/${device._id}`);
      return replace(...stored);
    });
    const link = house.app.get(LinkSigner).urlOf({ action: 'cancel-all', subscriptionId: subscription._id, senderId: trigger._id });
    await request(house.app.getHttpServer()).post(new URL(link).pathname).expect(200);
    expect(spy.mock.calls.length).toBeGreaterThan(3);
    expect(await statusOf(subscription)).toBe('CANCELLED');
    expect((await house.call(owner, 'get', `device/${device._id}`, NS).expect(200)).body).toMatchObject({ _description: 'edited', _email: { _confirmedAt: null } });
  });

  it('are not mailed any more when passportsvc says that they are not confirmed', async () => {
    await house.boot({ SMTP_URL: mail.url });
    const { group, trigger } = await house.makeTrigger(owner, NS, 'EMAIL', 'moved.ifc');
    await subscribe(owner, group);
    house.passport.addUser({ id: 'owner', email: 'stranger@example.com', emailVerified: false });
    await house.upload(NS, 'moved.ifc');
    expect(await settled(trigger, 1)).toMatchObject([{ _status: 'SKIPPED', _error: 'the address is not confirmed' }]);
    expect(sentTo('stranger@example.com')).toBe(0);
  });

  it('are asked a few times a day, whoever asks and however the address is written', async () => {
    await house.boot({ SMTP_URL: mail.url, CONFIRMATIONS_PER_DAY: 2 });
    const { group } = await house.makeTrigger(owner, NS, 'EMAIL', 'asked.ifc');
    for (const _address of ['prey@example.com', 'Prey@Example.com', 'prey+1@example.com', 'PREY+2@example.com']) {
      await subscribe(owner, group, await house.make(owner, NS, 'device', { _transport: 'EMAIL', _email: { _address } }));
    }
    const sql = "SELECT status, error FROM notification WHERE purpose = 'CONFIRMATION' AND status <> 'SENDING' ORDER BY status";
    const ends = await eventually(async () => {
      const rows = await house.app.get(TypeOrmUnitOfWork).run((tx) => tx.query(sql));
      expect(rows).toHaveLength(4);
      return rows;
    });
    expect(ends.map(({ status }) => status)).toEqual(['SENT', 'SENT', 'SKIPPED', 'SKIPPED']);
    expect(ends[3]?.['error']).toBe('2 confirmation mails went to the address within 24 h');
  });

  it('get so many in an hour, counted over devices and replicas at once', async () => {
    const settings = { SMTP_URL: mail.url, NOTIFICATIONS_PER_HOUR: 5, DELIVERY_PER_NAMESPACE: 8, DELIVERY_PER_RECEIVER: 8 };
    await house.boot(settings);
    await house.boot(settings);
    const { group, trigger } = await house.makeTrigger(owner, NS, 'EMAIL', 'many.ifc');
    const devices = [undefined, ...await Promise.all([1, 2].map(() => house.make(owner, NS, 'device', { _transport: 'EMAIL' })))];
    for (const device of devices) await subscribe(owner, group, device);
    await house.upload(NS, 'many.ifc', 4);
    const all = await settled(trigger, 12);
    expect(all.filter(({ _status }) => _status === 'SENT')).toHaveLength(5);
    expect(sentTo('owner@example.com')).toBe(5);
    expect(all.find(({ _status }) => _status === 'SKIPPED')).toMatchObject({ _error: '5 notifications went to the address within 1 h' });
  });
});
