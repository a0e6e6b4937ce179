import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { JobRunner, Jobs, JobStore } from '@twinyard/jobs';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import { FakeMailServer } from '@twinyard/testing/mail-server';
import { passportSettings } from '../src/config';
import { LEFT_OVER } from '../src/mails/left-over-mails';
import { MAIL, MailsRepository } from '../src/mails/mails.repository';
import { query } from './pages';
import { type PassportApp, startPassport, startReplica } from './passport-app';
import { newTenant } from './tenancy';

const HOUR_MS = 3_600_000;
/** More than are taken over at a time. */
const LEFT = 501;
/** So many mails, one after the other. */
const PATIENCE = { timeoutMs: 170_000 };

const part = <T>({ app }: PassportApp, type: abstract new (...given: never[]) => T): T => app.get(type as never, { strict: false });
const stopJobs = (passport: PassportApp) => part(passport, JobRunner).beforeApplicationShutdown();
const queued = (passport: PassportApp) => query<{ state: string; attempts: number; namespace: string }>(passport, `SELECT state, attempts, namespace FROM job WHERE kind = $1`, [MAIL.kind]);

async function queueMail(passport: PassportApp): Promise<string> {
  const recipient = `${randomUUID()}@example.com`;
  await part(passport, TypeOrmUnitOfWork).run((tx) => part(passport, MailsRepository).insert(tx, { id: randomUUID(), recipient, subject: 'Hello', body: 'a link', html: false }));
  return recipient;
}

describe('mails that are queued', () => {
  let mail: FakeMailServer;
  let passport: PassportApp;
  const came = (recipient: string) => mail.count(({ to }) => to?.[0]?.address === recipient);

  beforeEach(async () => {
    mail = await FakeMailServer.start();
    passport = await startPassport({ SMTP_URL: mail.url, MAIL_RETRY_MS: 1, MAIL_ATTEMPTS: 3 });
    await eventually(async () => expect(await queued(passport)).toEqual([]));
  });
  afterEach(async () => {
    await passport?.stop();
    await mail?.stop();
  });

  it('are tried again, and given up after their attempts: then nothing of them is kept', async () => {
    mail.failNext(2);
    const patient = await queueMail(passport);
    await eventually(() => expect(came(patient)).toBe(1));
    await eventually(async () => expect(await queued(passport)).toEqual([]));
    mail.failNext(3);
    const hopeless = await queueMail(passport);
    await eventually(async () => expect(await queued(passport)).toEqual([]));
    const after = await queueMail(passport);
    await eventually(() => expect(came(after)).toBe(1));
    expect([came(patient), came(hopeless)]).toEqual([1, 0]);
  });

  it('are sent by another replica when one has died with them in its hands', async () => {
    await stopJobs(passport);
    const recipient = await queueMail(passport);
    expect((await part(passport, JobStore).claim({ kind: MAIL.kind, slots: 1, leaseMs: HOUR_MS, perNamespace: 9, after: '' }, [])).jobs).toHaveLength(1);
    await query(passport, `UPDATE job SET leased_until = now() - interval '1 second' WHERE kind = $1`, [MAIL.kind]);
    const replica = await startReplica(passport);
    await eventually(() => expect(came(recipient)).toBe(1));
    await eventually(async () => expect(await queued(passport)).toEqual([]));
    await replica.stop();
  });

  it('are handed over when the process ends in the middle, as if they had not been begun', async () => {
    const release = mail.hold();
    const recipient = await queueMail(passport);
    await eventually(() => expect(came(recipient)).toBe(1));
    await stopJobs(passport);
    expect(await queued(passport)).toEqual([{ state: 'READY', attempts: 0, namespace: '' }]);
    release();
  });

  it('are sent to their end where that takes no more than some seconds, and not twice', async () => {
    const release = mail.hold();
    const recipient = await queueMail(passport);
    await eventually(() => expect(came(recipient)).toBe(1));
    const stopped = stopJobs(passport);
    release();
    await stopped;
    expect([await queued(passport), came(recipient)]).toEqual([[], 1]);
  });

  it('take turns by the organization that invites, and name the request that did', async () => {
    const { organization, app, owner, inApp } = await newTenant(passport, 'House');
    await owner.put(`/apps/${app._id}`, { _redirectUris: 'https://viewer.example.com/callback' });
    const group = (await inApp.post('/usergroups', [{ _name: 'Planners' }])).body._list[0];
    await eventually(async () => expect(await queued(passport)).toEqual([]));
    await stopJobs(passport);
    const invited = await inApp.post(`/usergroups/${group._id}/invites`, [{ _email: 'bob@example.com', _params: { base_url: 'https://viewer.example.com', invite_link: '/join' } }]);
    expect(invited.status).toBe(201);
    expect((await queued(passport)).map(({ namespace }) => namespace)).toEqual([organization._id]);
    expect(await query(passport, `SELECT request_id AS id FROM job WHERE kind = $1`, [MAIL.kind])).toEqual([{ id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string }]);
  });
});

describe('what replicas of the release before have left', () => {
  let passport: PassportApp;
  let before: number;
  const sent = () => readdirSync(passport.settings.MAIL_DIR).length - before;

  beforeEach(async () => {
    passport = await startPassport();
    await eventually(async () => expect(await queued(passport)).toEqual([]));
    before = readdirSync(passport.settings.MAIL_DIR).length;
  });
  afterEach(() => passport?.stop());

  const leave = (count: number, due: string) => query(passport, `INSERT INTO mail (id, recipient, subject, body, html, due_at) SELECT gen_random_uuid(), 'a@example.com', 's', 'b', false, now() + $2::interval FROM generate_series(1, $1::int)`, [count, due]);
  const look = (since: Date) => part(passport, TypeOrmUnitOfWork).run((tx) => part(passport, Jobs).enqueue(tx, LEFT_OVER, { since: since.toISOString() }, { namespace: '', key: 'all' }));
  const left = async () => (await query<{ mails: number; requests: number }>(passport, 'SELECT (SELECT count(*)::int FROM mail) AS mails, (SELECT count(*)::int FROM reset_request) AS requests'))[0];
  const watching = async () => (await query(passport, 'SELECT 1 FROM job WHERE kind = $1', [LEFT_OVER.kind])).length;
  const longAgo = () => new Date(Date.now() - 3 * HOUR_MS);

  it('is sent, however much it is, until nothing is left and two hours have passed', async () => {
    await leave(LEFT, '-1 second');
    // What no job can hold is given up, and holds nothing up.
    await query(passport, `INSERT INTO mail (id, recipient, subject, body, html, due_at) VALUES (gen_random_uuid(), 'a@example.com', 's', repeat('x', 1000000), false, now() - interval '1 hour')`);
    await leave(1, '1 hour');
    await query(passport, `INSERT INTO reset_request (email, language, requested_at) VALUES ('old@example.com', 'en', now() - interval '1 hour'), ('new@example.com', 'en', now())`);
    await look(longAgo());
    await eventually(async () => expect(await left()).toEqual({ mails: 1, requests: 1 }));
    await eventually(async () => expect([await queued(passport), sent()]).toEqual([[], LEFT]), PATIENCE);
    expect(await watching()).toBe(1);
    await query(passport, `UPDATE mail SET due_at = now()`);
    await query(passport, `UPDATE reset_request SET requested_at = now() - interval '1 hour'`);
    await look(longAgo());
    await eventually(() => expect(sent()).toBe(LEFT + 1));
    await look(longAgo());
    await eventually(async () => expect([await left(), await watching()]).toEqual([{ mails: 0, requests: 0 }, 0]));
  });

  it('is watched for two hours from the start, by one process of all', async () => {
    const replica = await startReplica(passport);
    await look(new Date());
    await leave(1, '-1 second');
    await look(new Date());
    await eventually(async () => expect([await left(), await watching()]).toEqual([{ mails: 0, requests: 0 }, 1]));
    await replica.stop();
  });
});

it('a lease of mails that was longer is as long as leases may be: the start is not stopped', () => {
  const { MAIL_LEASE_MS } = passportSettings.shape;
  expect([MAIL_LEASE_MS.parse('60000'), MAIL_LEASE_MS.parse('5000'), MAIL_LEASE_MS.parse(undefined)]).toEqual([15_000, 5_000, 6_000]);
});
