import { eventually } from '@twinyard/testing';
import { FakeMailServer } from '@twinyard/testing/mail-server';
import { query } from './pages';
import { type PassportApp, startPassport, startReplica } from './passport-app';
import { type Caller, newTenant, type Tenant } from './tenancy';

const WEB = 'https://viewer.example.com';
const OF_ONE = 3;
const OF_ALL = 5;

describe('invitations to one mailbox', () => {
  let mail: FakeMailServer;
  let passport: PassportApp;
  let replica: Awaited<ReturnType<typeof startReplica>>;

  beforeAll(async () => {
    mail = await FakeMailServer.start();
    passport = await startPassport({ SMTP_URL: mail.url, INVITATIONS_OF_TENANT_PER_DAY: OF_ONE, INVITATIONS_PER_DAY: OF_ALL });
    replica = await startReplica(passport);
  });
  afterAll(async () => {
    await replica?.stop();
    await passport?.stop();
    await mail?.stop();
  });

  const invitation = (_email: string) => ({ _email, _params: { base_url: WEB } });
  const sentTo = (email: string) => mail.count(({ to, subject }) => to?.[0]?.address === email && !subject.startsWith('Confirm'));

  async function inviter(name: string) {
    const tenant: Tenant = await newTenant(passport, name);
    await tenant.owner.put(`/apps/${tenant.app._id}`, { _redirectUris: `${WEB}/callback` });
    const groups = (await tenant.inApp.post('/usergroups', [{ _name: 'Planners' }, { _name: 'Builders' }])).body._list as { _id: string }[];
    /** By turns to its groups, and at the replicas. */
    const invite = async (turn: number, ...emails: string[]) => {
      const caller: Caller = turn % 2 === 0 ? tenant.inApp : tenant.inApp.at(replica.url);
      return caller.post(`/usergroups/${groups[turn % groups.length]?._id}/invites`, emails.map(invitation));
    };
    return { ...tenant, groups, invite };
  }

  it('are refused after so many of one organization, whichever of its groups and of the replicas they come from', async () => {
    const house = await inviter('House');
    const email = 'flooded@example.com';
    const others = await Promise.all([0, 1, 2].map((turn) => house.invite(turn, email)));
    expect(others.map(({ status }) => status)).toEqual([201, 201, 201]);
    for (const turn of [3, 4]) {
      const refused = await house.invite(turn, 'beside@example.com', email);
      expect(refused).toMatchObject({ status: 429, body: { code: 'too_many_requests', message: expect.stringContaining(`${email} has got 3 invitations within a day`) } });
    }
    // What was refused has left nothing: neither an invite nor a count of the other address.
    expect((await house.inApp.get(`/usergroups/${house.groups[0]?._id}/invites`)).body._list.map(({ _email }: { _email: string }) => _email)).toEqual([email]);
    for (const turn of [0, 1, 2]) expect((await house.invite(turn, 'beside@example.com')).status).toBe(201);
    await eventually(() => expect([sentTo(email), sentTo('beside@example.com')]).toEqual([3, 3]));
  });

  it('are left to other organizations by one that has had its own, and end for all of them together', async () => {
    const [barn, mill, kiln] = [await inviter('Barn'), await inviter('Mill'), await inviter('Kiln')];
    const email = 'wanted@example.com';
    const statuses = [];
    for (const tenant of [barn, mill]) for (const turn of [0, 1, 2]) statuses.push((await tenant.invite(turn, email)).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 429]);
    expect((await kiln.invite(0, email)).status).toBe(429);
    // A day later.
    await query(passport, `UPDATE attempt_count SET ends_at = now()`);
    expect((await kiln.invite(0, email)).status).toBe(201);
  });

  it('count those to own something as well, and nothing is made for an owner who is not told', async () => {
    const loft = await inviter('Loft');
    const email = 'owner@example.com';
    const found = (turn: number) => loft.owner.post('/apps', { _name: `Attic ${turn}`, _orgId: loft.organization._id, _appOwner: email });
    const statuses = [];
    for (const turn of [0, 1, 2, 3]) statuses.push((await found(turn)).status);
    expect(statuses).toEqual([201, 201, 201, 429]);
    expect((await loft.owner.get('/apps')).body._list.map(({ _name }: { _name: string }) => _name)).not.toContain('Attic 3');
    await eventually(() => expect(sentTo(email)).toBe(3));
  });
});
