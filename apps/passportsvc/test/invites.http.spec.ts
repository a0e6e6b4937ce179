import { eventually } from '@twinyard/testing';
import { FakeMailServer } from '@twinyard/testing/mail-server';
import { Client } from 'pg';
import { linkTo, query } from './pages';
import { type PassportApp, startPassport, startReplica } from './passport-app';
import { type Caller, confirmAddress, grant, newPerson, newTenant, send, type Tenant } from './tenancy';

interface Invite {
  readonly _id: string;
  readonly _status: string;
  readonly _expireTime: number;
}

const WEB = 'https://viewer.example.com';

describe('invites and notification templates over HTTP', () => {
  let passport: PassportApp;
  let mail: FakeMailServer;
  let house: Tenant;
  let group: { _id: string; _namespaces: string[] };
  let unique = 0;

  beforeAll(async () => {
    mail = await FakeMailServer.start();
    passport = await startPassport({ SMTP_URL: mail.url, MAIL_RETRY_MS: 20, INVITE_POLL_MS: 20, INVITE_TTL_SECONDS: 3_600 });
    house = await newTenant(passport, 'House');
    await house.owner.put(`/apps/${house.app._id}`, { _redirectUris: `${WEB}/callback`, _authorizedOrigins: '' });
    group = (await house.inApp.post('/usergroups', [{ _name: 'Planners' }])).body._list[0];
  });
  afterAll(async () => {
    await passport?.stop();
    await mail?.stop();
  });

  const address = (name: string) => `${name}.${(unique += 1)}@example.com`;
  const path = (id = '', of = group._id) => `/usergroups/${of}/invites${id && `/${id}`}`;
  const params = (rest: object = {}) => ({ base_url: WEB, invite_link: '/join?from=mail', ...rest });
  const invite = async (email: string, rest: object = {}, caller = house.inApp) => (await caller.post(path(), [{ _email: email, _params: params(rest) }])).body._list[0] as Invite & Record<string, unknown>;
  const mailTo = (email: string, subject = '') => eventually(() => mail.find((message) => message.to?.[0]?.address === email && message.subject.includes(subject) && !message.subject.includes('Confirm')));
  const joiner = async (name: string): Promise<Caller> => {
    const person = await newPerson(passport, name);
    await confirmAddress(passport, person.email);
    return person;
  };

  it('invites by a mail whose link carries the invite, and lets exactly that person join once', async () => {
    const bob = await joiner('Bob');
    const sent = await invite(bob.email.toUpperCase(), { subject: 'Come & <see>', body_content: '<b>Bring a hat</b>', own: 'x' });
    expect(sent).toMatchObject({
      _email: bob.email, _status: 'PENDING', _userExists: true, _usergroup: { _id: group._id, _appId: house.app._id, _isMember: false },
      _params: { base_url: WEB, host: 'viewer.example.com', fromUserName: 'House Tester', APP_ID: house.app._id, own: 'x', invite_link: `${WEB}/join?from=mail&inviteId=${sent._id}` },
    });
    expect(sent._expireTime - Date.now()).toBeGreaterThan(3_500_000);
    const message = await mailTo(bob.email);
    expect(message.subject).toBe('Come & <see>');
    expect(message.html).toContain(`href="${WEB}/join?from=mail&amp;inviteId=${sent._id}"`);
    expect(message.html).toContain('&lt;b&gt;Bring a hat&lt;/b&gt;');
    const join = (caller: Caller, of = group._id) => caller.post(`/usergroups/${of}/users?inviteId=${sent._id}`, []);
    const other = (await house.inApp.post('/usergroups', [{ _name: 'Others' }])).body._list[0];
    expect([(await join(await joiner('Eve'))).status, (await join(bob, other._id)).status]).toEqual([400, 400]);
    expect((await join(bob)).body).toMatchObject([{ _id: bob.id, _email: bob.email }]);
    expect((await bob.get(`/usergroups/${group._id}`)).body._isMember).toBe(true);
    expect((await join(bob)).status).toBe(400);
    expect((await house.inApp.get(path(sent._id))).body._status).toBe('ACCEPTED');
  });

  it('renews the one that an address has, also when two invite it at once, and sends it again', async () => {
    const email = address('twice');
    const [first, second] = await Promise.all([invite(email), invite(email.toUpperCase())]);
    const third = await invite(email, { subject: 'Once more' });
    expect(new Set([first._id, second._id, third._id]).size).toBe(1);
    expect(third._expireTime).toBeGreaterThanOrEqual(Math.max(first._expireTime, second._expireTime));
    const pending = (await house.inApp.get(`${path()}?_status=PENDING&_pageSize=1000`)).body._list as (Invite & { _email: string })[];
    expect(pending.filter(({ _email }) => _email === email)).toHaveLength(1);
    expect((await mailTo(email, 'Once more')).html).toContain(`inviteId=${first._id}`);
    await eventually(() => expect(mail.count(({ to }) => to?.[0]?.address === email)).toBe(3));
    const both = (await house.inApp.post(path(), [email, address('once'), email].map((_email) => ({ _email, _params: params() })))).body;
    expect(both._list).toHaveLength(2);
    await house.inApp.put(path(first._id), { _status: 'CANCELLED' });
    expect((await invite(email))._id).not.toBe(first._id);
  });

  it('writes in the language of the invite, by the templates of the application', async () => {
    const german = { _name: 'USER_GROUP_INVITE', _title: 'Einladung: ${name}', _message: 'Hallo ${unknown}${__proto__}! ${inviter_name} ruft: ${invite_link} ${body_content}', _locale: 'de', _format: 'text/plain' };
    const made = (await house.inApp.post('/notification_templates', [german])).body;
    expect(made).toMatchObject({ _total: 1, _list: [{ ...german, _appId: house.app._id }] });
    const email = address('frida');
    await invite(email, { locale: 'de-AT', inviter_name: 'Otto', body_content: '${invite_link} <i>' });
    const message = await mailTo(email);
    expect(message.subject).toBe('Einladung: Planners');
    expect(message.text).toMatch(/^Hallo ! Otto ruft: https:\/\/viewer\.example\.com\/join\?from=mail&inviteId=\S+ \$\{invite_link\} <i>/);
    const template = made._list[0];
    expect((await house.inApp.put(`/notification_templates/${template._id}`, { ...template, _title: 'Komm' })).body).toMatchObject({ _title: 'Komm', _message: german._message });
    const empty = await house.inApp.put(`/notification_templates/${template._id}`, {});
    expect([empty.status, empty.body.details]).toEqual([400, ['_name', '_title', '_message'].map((field) => ({ field, issue: 'is required' }))]);
    expect((await house.inApp.post('/notification_templates', [german])).status).toBe(409);
    expect((await house.inApp.get('/notification_templates?_name=USER_GROUP_INVITE')).body._list).toHaveLength(2);
    expect((await house.inApp.get('/notification_templates')).body._list.map(({ _name, _locale }: Record<string, string>) => `${_name} ${_locale}`)).toEqual(['USER_GROUP_INVITE en', 'USER_GROUP_INVITE_REMINDER en', 'USER_GROUP_INVITE de']);
    expect((await house.inApp.delete(`/notification_templates/${template._id}`)).status).toBe(204);
    expect((await house.inApp.get(`/notification_templates/${template._id}`)).status).toBe(404);
    const bad = await house.inApp.post('/notification_templates', [{ _name: 'OTHER', _title: '', _locale: 'x', _format: 'text/rtf' }]);
    expect(bad.body.details.map(({ field }: { field: string }) => field)).toEqual(expect.arrayContaining(['[0]._name', '[0]._title', '[0]._message', '[0]._locale', '[0]._format']));
  });

  it('is cancelled by who may edit the group, rejected by who is invited, and never twice', async () => {
    const carol = await joiner('Carol');
    const first = await invite(carol.email);
    expect((await carol.put(path(first._id), { _status: 'CANCELLED' })).status).toBe(403);
    expect((await house.inApp.put(path(first._id), { _status: 'CANCELLED' })).body).toMatchObject({ _id: first._id, _status: 'CANCELLED' });
    const second = await invite(carol.email);
    expect((await house.inApp.put(path(second._id), { _status: 'REJECTED' })).status).toBe(403);
    expect((await carol.put(path(second._id), { _status: 'REJECTED' })).body._status).toBe('REJECTED');
    for (const id of [first._id, second._id]) expect((await house.inApp.put(path(id), { _status: 'CANCELLED' })).status).toBe(400);
    expect((await carol.post(`/usergroups/${group._id}/users?inviteId=${first._id}`, [])).status).toBe(400);
    expect((await house.inApp.put(path(first._id), { _status: 'ACCEPTED' })).status).toBe(400);
    const of = async (status: string) => (await house.inApp.get(`${path()}?${status}`)).body._list.map(({ _id }: Invite) => _id) as string[];
    // Others of this group were cancelled too.
    expect((await of('_status=CANCELLED&_status=REJECTED&_pageSize=1000')).filter((id) => [first._id, second._id].includes(id))).toEqual([first._id, second._id]);
    expect(await of('_status=PENDING')).not.toContain(first._id);
    expect((await house.inApp.get(`${path()}?_status=GONE`)).status).toBe(400);
  });

  it('reminds once at half of its life, and ends with time', async () => {
    const hasty = await startPassport({ SMTP_URL: mail.url, INVITE_POLL_MS: 20, INVITE_TTL_SECONDS: 3_600 });
    const barn = await newTenant(hasty, 'Barn');
    await barn.owner.put(`/apps/${barn.app._id}`, { _redirectUris: `${WEB}/callback` });
    const made = (await barn.inApp.post('/usergroups', [{ _name: 'Farmers' }])).body._list[0];
    const dan = await newPerson(hasty, 'Dan');
    await confirmAddress(hasty, dan.email);
    const sent = (await barn.inApp.post(path('', made._id), [{ _email: dan.email, _params: params() }])).body._list[0];
    const grow = (hours: number) => query(hasty, `UPDATE invite SET remind_at = remind_at - $2 * interval '1 hour', expires_at = expires_at - $2 * interval '1 hour' WHERE id = $1`, [sent._id, hours]);
    await mailTo(dan.email);
    await grow(0.6);
    await mailTo(dan.email, 'Reminder:');
    await grow(0.5);
    await eventually(async () => expect((await barn.inApp.get(path(sent._id, made._id))).body._status).toBe('EXPIRED'));
    expect((await dan.post(`/usergroups/${made._id}/users?inviteId=${sent._id}`, [])).status).toBe(400);
    await eventually(async () => expect((await barn.inApp.get(`${path('', made._id)}?_status=EXPIRED`)).body._total).toBe(1));
    expect(mail.count((message) => message.to?.[0]?.address === dan.email && message.subject.startsWith('Reminder'))).toBe(1);
    await hasty.stop();
  });

  it('is refused where its mail would be too large; a reminder that has become so keeps nobody else from theirs, nor from their end', async () => {
    const barn = await newTenant(passport, 'Barn');
    await barn.owner.put(`/apps/${barn.app._id}`, { _redirectUris: `${WEB}/callback` });
    const made = (await barn.inApp.post('/usergroups', [{ _name: 'Farmers' }])).body._list[0];
    const template = async (_name: string, _message: string) => {
      const { _id } = (await barn.inApp.get('/notification_templates')).body._list.find((one: { _name: string }) => one._name === _name);
      expect((await barn.inApp.put(`/notification_templates/${_id}`, { _name, _title: 'Large', _message, _format: 'text/plain' })).status).toBe(200);
    };
    const [large, other] = [address('large'), address('other')];
    const sent = (await barn.inApp.post(path('', made._id), [{ _email: large, _params: params({ p: 'x'.repeat(100_000) }) }])).body._list[0];
    await template('USER_GROUP_INVITE_REMINDER', '${p}'.repeat(25_000));
    await template('USER_GROUP_INVITE', '${p}'.repeat(6));
    const refused = await barn.inApp.post(path('', made._id), [{ _email: address('more'), _params: params({ p: 'x'.repeat(100_000) }) }]);
    expect([refused.status, refused.body.code]).toEqual([400, 'limit_exceeded']);
    const beside = await invite(other);
    await query(passport, `UPDATE invite SET remind_at = now() - interval '1 minute' WHERE id = ANY($1)`, [[sent._id, beside._id]]);
    await mailTo(other, 'Reminder:');
    await query(passport, `UPDATE invite SET expires_at = now() WHERE id = $1`, [sent._id]);
    await eventually(async () => expect((await barn.inApp.get(path(sent._id, made._id))).body._status).toBe('EXPIRED'));
    expect(mail.count(({ to }) => to?.[0]?.address === large)).toBe(1);
  });

  it('are looked through by one look at a time, in all replicas together', async () => {
    const slow = await startPassport({ INVITE_POLL_MS: 10 });
    const other = await startReplica(slow);
    const holder = new Client({ connectionString: slow.database.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE invite IN ACCESS EXCLUSIVE MODE');
    const looks = () => query(slow, `SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'invite'::regclass`);
    await eventually(async () => expect(await looks()).toHaveLength(1));
    let missed = 0;
    const clock = setInterval(() => { missed += 1; }, 10);
    await eventually(() => missed > 20).finally(() => clearInterval(clock));
    expect(await looks()).toHaveLength(1);
    await holder.end();
    await other.stop();
    await slow.stop();
  });

  it('sends mails that the mail server refuses for a while, and to nowhere that is not registered', async () => {
    mail.failNext(2);
    const email = address('late');
    await invite(email);
    await mailTo(email);
    const refused = await house.inApp.post(path(), [{ _email: 'x', _params: params() }, { _email: address('a') }]);
    expect(refused.body.details.map(({ field }: { field: string }) => field)).toEqual(['[0]._email']);
    for (const wrong of [{}, { base_url: 'https://evil.example' }, { base_url: WEB, invite_link: 'https://evil.example/join' }, { base_url: WEB, invite_link: '//evil.example' }, { base_url: 'javascript:alert(1)' }]) {
      expect((await house.inApp.post(path(), [{ _email: address('a'), _params: wrong }])).status).toBe(400);
    }
  });

  it('shows the invites to an address to whoever has proved to read its mail', async () => {
    const grace = await newPerson(passport, 'Grace');
    const sent = await invite(grace.email);
    expect((await grace.get('/invites')).body._total).toBe(0);
    const confirmation = await eventually(() => mail.find(({ to, subject }) => to?.[0]?.address === grace.email && subject.startsWith('Confirm')));
    const link = /https?:\S+/.exec(confirmation.text?.split('within')[1] ?? '')?.[0] ?? '';
    expect((await fetch(link.replace(/\.([\w-])([\w-]*)$/, (_, first: string, rest: string) => `.${first === 'A' ? 'B' : 'A'}${rest}`))).status).toBe(400);
    const page = await fetch(link);
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining(grace.email)]);
    expect((await grace.get('/users/me')).body._emailVerified).toBe(false);
    expect((await fetch(link, { method: 'POST' })).status).toBe(200);
    expect((await fetch(link, { method: 'POST' })).status).toBe(200);
    expect((await grace.get('/users/me')).body._emailVerified).toBe(true);
    expect((await grace.get('/invites')).body._list).toMatchObject([{ _id: sent._id }]);
    expect((await grace.get('/invites?_status=REJECTED')).body._total).toBe(0);
    expect((await house.owner.get('/invites')).body._total).toBe(0);
    expect((await house.owner.get('/invites?includeAll=true')).body._list.map(({ _id }: Invite) => _id)).toContain(sent._id);
  });

  it('proves no address: who knows its id and signs up as the invitee neither joins, nor answers for it, nor sees it, until the mail is read', async () => {
    const [member, mallory] = [await joiner('Member'), await newPerson(passport, 'Mallory')];
    const sent = await invite(mallory.email);
    await house.inApp.post(`/usergroups/${group._id}/users`, [member.id]);
    const join = () => mallory.post(`/usergroups/${group._id}/users?inviteId=${sent._id}`, []);
    expect(await join()).toMatchObject({ status: 400, body: { message: expect.stringContaining('not confirmed yet') } });
    expect([(await mallory.get(path(sent._id))).status, (await mallory.put(path(sent._id), { _status: 'REJECTED' })).status]).toEqual([403, 403]);
    expect((await house.inApp.get(path(sent._id))).body._status).toBe('PENDING');
    expect((await house.inApp.get(`/usergroups/${group._id}/users`)).body._list.map(({ _id }: { _id: string }) => _id)).not.toContain(mallory.id);
    await fetch(await linkTo(mail, mallory.email, 'Confirm'), { method: 'POST' });
    expect((await join()).body).toMatchObject([{ _id: mallory.id }]);
  });

  it('is closed to others: no token, a member, a stranger', async () => {
    const [member, stranger] = [await joiner('Member'), await newTenant(passport, 'Stranger')];
    await house.inApp.post(`/usergroups/${group._id}/users`, [member.id]);
    const sent = await invite(address('x'));
    expect((await send(passport, 'GET', path())).status).toBe(401);
    for (const caller of [member, stranger.inApp]) {
      expect([(await caller.get(path())).status, (await caller.get(path(sent._id))).status, (await caller.put(path(sent._id), { _status: 'CANCELLED' })).status]).toEqual([403, 403, 403]);
      expect((await caller.post(path(), [{ _email: address('y'), _params: params() }])).status).toBe(403);
    }
    expect((await house.inApp.get(path('', '00000000-0000-4000-8000-000000000000'))).status).toBe(404);
    expect((await house.inApp.get(path('00000000-0000-4000-8000-000000000000'))).status).toBe(404);
    expect((await stranger.inApp.get(`/notification_templates?_appId=${house.app._id}`)).status).toBe(403);
    await grant(house.owner, { _type: 'user', _id: member.id }, String(house.app._namespaces[0]), `passportsvc:app:${house.app._id}`, ['READ']);
    const template = (await house.inApp.get('/notification_templates')).body._list[0];
    expect([(await member.get(`/notification_templates/${template._id}`)).status, (await stranger.owner.get(`/notification_templates/${template._id}`)).status]).toEqual([403, 404]);
  });
});
