import { eventually } from '@twinyard/testing';
import { FakeMailServer } from '@twinyard/testing/mail-server';
import { headingOf, linkTo, query, Visitor } from './pages';
import { ADMIN, type PassportApp, startPassport } from './passport-app';
import { authorizeUrl } from './sign-in';
import { type Caller, confirmAddress, manager, newPerson, newTenant, send, type Tenant } from './tenancy';

const WEB = 'https://viewer.example.com';
const PASSWORD = 'a long enough one';

describe('an invite on the way of a sign-in', () => {
  let mail: FakeMailServer;
  let passport: PassportApp;
  let house: Tenant;
  let group: { _id: string; _namespaces: string[] };
  beforeAll(async () => {
    mail = await FakeMailServer.start();
    passport = await startPassport({ SMTP_URL: mail.url });
    house = await newTenant(passport, 'House');
    await house.owner.put(`/apps/${house.app._id}`, { _redirectUris: `${WEB}/callback` });
    group = (await house.inApp.post('/usergroups', [{ _name: 'Planners & <Co>' }])).body._list[0];
  });
  afterAll(async () => {
    await passport?.stop();
    await mail?.stop();
  });

  const invite = async (email: string): Promise<string> =>
    (await house.inApp.post(`/usergroups/${group._id}/invites`, [{ _email: email, _params: { base_url: WEB, invite_link: '/join', inviter_name: 'Otto' } }])).body._list[0]._id;
  const statusOf = async (id: string) => (await house.inApp.get(`/usergroups/${group._id}/invites/${id}`)).body._status;
  const membersOf = async () => (await house.inApp.get(`/usergroups/${group._id}/users`)).body._list.map(({ _email }: { _email: string }) => _email) as string[];
  const confirmedPerson = async (name: string): Promise<Caller> => {
    const person = await newPerson(passport, name);
    await confirmAddress(passport, person.email);
    return person;
  };
  const signedIn = async (visitor: Visitor, inviteId: string, email: string, password = PASSWORD) => {
    const page = await visitor.open({ inviteId });
    return visitor.submit(page, pathOf(page), { email, password });
  };
  const pathOf = ({ text }: { readonly text: string }) => /action="(\/passportsvc\/sign-in\/[\w-]+)"/.exec(text)?.[1] ?? '';

  it('leads a new person from the mail\'s link over sign-up into the group, and on into the application', async () => {
    const id = await invite('nina@example.com');
    const message = await linkOf('nina@example.com');
    expect(new URL(message).searchParams.get('inviteId')).toBe(id);
    const visitor = new Visitor(passport);
    const page = await visitor.open({ inviteId: id });
    expect(page.text).toContain('<strong>Otto</strong> invites you to <strong>Planners &amp; &lt;Co&gt;</strong>.');
    expect(page.text).toMatch(/name="email" type="email" value="nina@example.com"/);
    const form = await visitor.get(visitor.link(page, '/sign-up'));
    expect(form.text).toMatch(/name="email"[^>]* value="nina@example.com"[^>]* readonly/);
    const waiting = await visitor.submit(form, '/sign-up', { email: 'somebody.else@example.com', password: PASSWORD });
    expect(waiting.text).toContain('nina@example.com');
    await fetch(await linkTo(mail, 'nina@example.com', 'Confirm'), { method: 'POST' });
    const asked = await visitor.submit(waiting, '/sign-up/confirmed');
    expect(headingOf(asked)).toBe('Join Planners & <Co>?');
    const answer = await visitor.submit(asked, '/invite', { decision: 'accept' });
    expect(await membersOf()).toContain('nina@example.com');
    expect(await statusOf(id)).toBe('ACCEPTED');
    const { access_token: token } = await visitor.tokens(answer);
    expect((await send(passport, 'GET', `/usergroups/${group._id}`, token)).body._isMember).toBe(true);
    expect((await send(passport, 'GET', '/users/me', token)).body._email).toBe('nina@example.com');
  });

  it('is declined, or left for later and asked for again', async () => {
    const person = await confirmedPerson('Dora');
    const first = await invite(person.email);
    const declined = new Visitor(passport);
    expect((await declined.submit(await signedIn(declined, first, person.email), '/invite', { decision: 'decline' })).location?.searchParams.get('code')).toEqual(expect.any(String));
    expect(await statusOf(first)).toBe('REJECTED');
    const second = await invite(person.email);
    const later = new Visitor(passport);
    expect((await later.submit(await signedIn(later, second, person.email), '/invite', { decision: 'later' })).location?.searchParams.get('code')).toEqual(expect.any(String));
    expect(await statusOf(second)).toBe('PENDING');
    expect(headingOf(await later.open({ inviteId: second }))).toBe('Join Planners & <Co>?');
    expect(await membersOf()).not.toContain(person.email);
  });

  it('proves no address: who may see the group\'s invites takes no address over by one', async () => {
    const victim = 'victim@example.com';
    const { body: organization } = await (await manager(passport)).post('/organizations', { _name: 'Waiting', _orgOwner: victim });
    const id = await invite(victim);
    const visitor = new Visitor(passport);
    const form = await visitor.get(visitor.link(await visitor.open({ inviteId: id }), '/sign-up'));
    await visitor.submit(form, '/sign-up', { password: 'a password of mallory' });
    const asked = await signedIn(visitor, id, victim, 'a password of mallory');
    expect(asked.text).toContain('To join, first confirm that');
    const forced = await visitor.submit(asked, '/invite', { decision: 'accept' });
    expect(headingOf(forced)).toBe('Join Planners & <Co>?');
    expect([await statusOf(id), await membersOf()]).toEqual(['PENDING', expect.not.arrayContaining([victim])]);
    const [user] = await query<{ email_verified: boolean; id: string }>(passport, 'SELECT id, email_verified FROM app_user WHERE email = $1', [victim]);
    expect(user?.email_verified).toBe(false);
    expect((await query<{ owner_id: string | null }>(passport, 'SELECT owner_id FROM organization WHERE id = $1', [organization._id]))[0]?.owner_id).toBeNull();
  });

  it('asks somebody whose address is not confirmed to confirm it first, by a mail', async () => {
    const person = await newPerson(passport, 'Ulf');
    const id = await invite(person.email);
    const visitor = new Visitor(passport);
    const before = mail.count(({ to, subject }) => to?.[0]?.address === person.email && subject.startsWith('Confirm'));
    const mailed = await visitor.submit(await signedIn(visitor, id, person.email), '/invite', { decision: 'mail' });
    expect(mailed.text).toContain('We have sent a mail to');
    await eventually(async () => expect(mail.count(({ to, subject }) => to?.[0]?.address === person.email && subject.startsWith('Confirm'))).toBeGreaterThan(before));
    await fetch(await linkTo(mail, person.email, 'Confirm'), { method: 'POST' });
    const asked = await visitor.submit(mailed, '/invite', { decision: 'confirmed' });
    await visitor.submit(asked, '/invite', { decision: 'accept' });
    expect(await membersOf()).toContain(person.email);
  });

  it('is taken up by nobody else: somebody else goes on without it, or signs in anew', async () => {
    const [invited, other] = [await confirmedPerson('Ina'), await confirmedPerson('Olga')];
    const id = await invite(invited.email);
    const visitor = new Visitor(passport);
    const page = await signedIn(visitor, id, other.email);
    expect(headingOf(page)).toBe('This invitation is for somebody else');
    expect(headingOf(await visitor.submit(page, '/invite', { decision: 'accept' }))).toBe('This invitation is for somebody else');
    expect(await statusOf(id)).toBe('PENDING');
    const without = new Visitor(passport);
    const answer = await without.submit(await signedIn(without, id, other.email), '/invite', { decision: 'later' });
    expect(answer.location?.searchParams.get('code')).toEqual(expect.any(String));
    const again = await visitor.submit(page, '/invite', { decision: 'switch' });
    expect(headingOf(again)).toBe('Sign in');
    // The library asks whether the session before is to end: a page with a button where there are no scripts.
    const change = await visitor.submit(again, pathOf(again), { email: invited.email, password: PASSWORD });
    const anew = change.text.includes('end_session') ? await visitor.submit(change, '/end_session/confirm') : change;
    expect(headingOf(anew)).toBe('Join Planners & <Co>?');
    await visitor.submit(anew, '/invite', { decision: 'accept' });
    expect(await membersOf()).toContain(invited.email);
  });

  it('goes on without one that is over or never was, and refuses a form that is not its own', async () => {
    const person = await confirmedPerson('Gus');
    const id = await invite(person.email);
    const visitor = new Visitor(passport);
    const asked = await signedIn(visitor, id, person.email);
    expect((await visitor.submit(asked, '/invite', { decision: 'accept', csrf: 'guess' })).status).toBe(403);
    await house.inApp.put(`/usergroups/${group._id}/invites/${id}`, { _status: 'CANCELLED' });
    expect((await visitor.submit(asked, '/invite', { decision: 'accept' })).location?.searchParams.get('code')).toEqual(expect.any(String));
    expect(await statusOf(id)).toBe('CANCELLED');
    for (const inviteId of [id, '00000000-0000-4000-8000-000000000000', 'no-id', '']) {
      const late = new Visitor(passport);
      const page = await late.open({ inviteId });
      if (inviteId !== '') expect(page.text).toContain('This invitation is not valid any more');
      expect((await late.submit(page, pathOf(page), ADMIN)).location?.searchParams.get('code')).toEqual(expect.any(String));
    }
  });

  it('does not stop a silent sign-in', async () => {
    const person = await confirmedPerson('Sam');
    const visitor = new Visitor(passport);
    const page = await visitor.open();
    await visitor.submit(page, pathOf(page), { email: person.email, password: PASSWORD });
    const silent = await visitor.get(authorizeUrl(visitor.verifier, { inviteId: await invite(person.email), prompt: 'none' }));
    expect(silent.location?.searchParams.get('code')).toEqual(expect.any(String));
  });

  const linkOf = async (email: string): Promise<string> => {
    const message = await eventually(() => mail.find(({ to, html }) => to?.[0]?.address === email && html !== undefined));
    return /href="([^"]+)"/.exec(message.html ?? '')?.[1]?.replaceAll('&amp;', '&') ?? '';
  };
});
