import { randomUUID } from 'node:crypto';
import { type PassportApp, startPassport } from './passport-app';
import { organizationScim, type ScimClient, USER } from './scim-client';
import { type Caller, confirmAddress, manager, newTenant, type Tenant } from './tenancy';

const WEB = 'http://127.0.0.1:9';
const NONE = ['x,victim@example.com', 'x;victim@example.com', 'x<y@example.com', '(c)y@example.com', 'Ada <ada@example.com>', 'x@example..com', 'x@-example.com', 'x@[127.0.0.1]'];

/** Contract 1.6: the same rule wherever an address is taken. Sign-up has it in accounts.http.spec. */
describe('an address is one mailbox', () => {
  let passport: PassportApp;
  let house: Tenant;
  let admin: Caller;
  let scim: ScimClient;
  let group: string;

  beforeAll(async () => {
    passport = await startPassport();
    [house, admin] = [await newTenant(passport, 'House'), await manager(passport)];
    scim = await organizationScim(passport, house.organization._id);
    await house.owner.put(`/apps/${house.app._id}`, { _redirectUris: `${WEB}/callback`, _authorizedOrigins: '' });
    group = ((await house.inApp.post('/usergroups', [{ _name: 'Planners' }])).body._list[0] as { _id: string })._id;
  });
  afterAll(() => passport?.stop());

  const invite = (email: string) => house.inApp.post(`/usergroups/${group}/invites`, [{ _email: email, _params: { base_url: WEB, invite_link: '/join' } }]);
  const user = (fields: object) => scim.post('/Users', { schemas: [USER], userName: randomUUID(), ...fields });

  it.each(NONE)('and nothing else, for invites, owners, users of SCIM and issuers: %s', async (email) => {
    const issue = `must be an e-mail address (it is a string of ${email.length} character${email.length === 1 ? '' : 's'})`;
    expect((await invite(email)).body.details).toMatchObject([{ issue }]);
    expect((await admin.post('/organizations', { _name: randomUUID(), _orgOwner: email })).body.details).toMatchObject([{ field: '_orgOwner', issue }]);
    expect((await house.owner.post('/apps', { _name: randomUUID(), _orgId: house.organization._id, _appOwner: email })).status).toBe(400);
    expect(await user({ emails: [{ value: email }] })).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
  });

  it('that is written in more than one way: one account, one invite, one owner', async () => {
    const made = await user({ emails: [{ value: 'k@xn--bcher-kva.example', primary: true }] });
    expect([made.status, (made.body as { emails: object[] }).emails]).toEqual([201, [{ value: 'k@xn--bcher-kva.example', primary: true }]]);
    expect(await user({ emails: [{ value: '\u212a@BÜCHER.example' }] })).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
    const [first, second] = [await invite('guest@bücher.example'), await invite('Guest@XN--BCHER-KVA.example.')];
    expect([first.body._list[0]._email, second.body._list[0]._email]).toEqual(['guest@bücher.example', 'guest@bücher.example']);
    const { _id } = made.body as { _id?: string; id: string };
    expect(_id).toBeUndefined();
    await confirmAddress(passport, 'k@bücher.example');
    const owned = await admin.post('/organizations', { _name: randomUUID(), _orgOwner: 'K@XN--BCHER-KVA.example' });
    expect(owned.body._orgOwner).toBe((made.body as { id: string }).id);
  });

  it('whose case means nothing, nor that of user names: by simple case folding', async () => {
    expect((await user({ userName: 'ſtraße' })).status).toBe(201);
    expect(await user({ userName: 'STRAßE' })).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
    // Full folding would make ss of ß.
    expect((await user({ userName: 'STRASSE' })).status).toBe(201);
    for (const filter of ['userName eq "Straße"', 'userName sw "STRAẞ"', 'userName co "traẞe"']) {
      expect([filter, ((await scim.get(`/Users?filter=${encodeURIComponent(filter)}`)).body as { totalResults: number }).totalResults]).toEqual([filter, 1]);
    }
    const { body } = await user({ userName: 'folded', emails: [{ value: 'a@example.com', type: 'work' }, { value: 'b@example.com', type: 'home' }] });
    const patched = await scim.send('PATCH', `/Users/${(body as { id: string }).id}`, { Operations: [{ op: 'replace', path: 'emails[type eq "WORſ" or type eq "wor\u212a"].display', value: 'x' }] });
    expect((patched.body as { emails: { display?: string }[] }).emails.map(({ display }) => display)).toEqual(['x', undefined]);
  });
});
