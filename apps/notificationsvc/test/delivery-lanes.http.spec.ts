import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { eventually, PatientReceiver } from '@twinyard/testing';
import { type Made, NotifiedHouse } from './notified-house';

const NS = 'house_a1B2c3D4';
const OTHER = 'other_a1B2c3D4';
const SETTINGS = { WEBHOOK_ALLOW_PRIVATE: 'true', WEBHOOK_DEADLINE_MS: 600_000 };
const PATIENT_LEASE = { DELIVERY_LEASE_MS: 15_000 };
/** Of what is to outlast it: a machine that stops for seconds does not, since it is renewed every third of it. */
const LEASE_MS = 6_000;

describe('deliveries', () => {
  let house: NotifiedHouse;
  let owner: string;
  let receivers: PatientReceiver[];

  beforeEach(async () => {
    house = await NotifiedHouse.start();
    owner = await house.passport.token('owner');
    house.passport.addUser({ id: 'owner' });
    for (const namespace of [NS, OTHER]) await house.passport.grant('owner', namespace, ['*']);
    receivers = await Promise.all([1, 2, 3].map(() => PatientReceiver.start()));
  });
  afterEach(async () => {
    await Promise.all(receivers.map((one) => one.stop()));
    await house.stop();
  });

  const [one, two, three] = [0, 1, 2].map((index) => () => receivers[index] as PatientReceiver) as [() => PatientReceiver, () => PatientReceiver, () => PatientReceiver];
  const log = (namespace: string, trigger: Made) => house.logOf(owner, namespace, trigger);
  const query = <R extends object>(sql: string) => house.app.get(TypeOrmUnitOfWork).run((tx) => tx.query<R>(sql));
  /** As if the worker had been silent for as long as its lease lasts, and another had come. */
  const takeOver = () => query(`UPDATE job SET token = nextval('job_token'), leased_until = now() - interval '1 s' WHERE kind = 'notificationsvc.webhook' AND state = 'RUNNING' RETURNING pg_notify('jobs', kind)`);
  const webhookJobs = () => query(`SELECT state FROM job WHERE kind = 'notificationsvc.webhook'`);

  it('of a receiver go out two at a time, four of a namespace; others are not behind them', async () => {
    await house.boot({ ...SETTINGS, ...PATIENT_LEASE });
    const slow = await house.watch(owner, NS, 'slow.ifc', [one().url]);
    await house.watch(owner, NS, 'later.ifc', [two().url]);
    const last = await house.watch(owner, NS, 'last.ifc', [three().url]);
    const told = await house.watch(owner, OTHER, 'told.ifc', [three().url]);
    await house.upload(NS, 'slow.ifc', 40);
    await eventually(() => expect(one().calls).toHaveLength(2));
    await house.upload(NS, 'later.ifc', 9);
    await eventually(() => expect(two().calls).toHaveLength(2));
    await house.upload(NS, 'last.ifc', 1);
    await house.upload(OTHER, 'told.ifc', 3);
    await eventually(() => expect(three().calls).toHaveLength(2));
    three().answer();
    await eventually(async () => expect((await log(OTHER, told)).map(({ _status }) => _status)).toEqual(['SENT', 'SENT', 'SENT']));
    // All places of the namespace are taken, and each that comes free goes to whoever has waited longest.
    expect((await log(NS, last)).map(({ _attempts }) => _attempts)).toEqual([0]);
    expect([one().calls.length, two().calls.length]).toEqual([2, 2]);
    one().answerFirst();
    await eventually(async () => expect((await log(NS, slow)).filter(({ _status }) => _status === 'SENT')).toHaveLength(1));
    await eventually(async () => expect((await log(NS, last)).map(({ _status }) => _status)).toEqual(['SENT']));
    one().answer();
    two().answer();
    await eventually(async () => expect((await log(NS, slow)).filter(({ _status }) => _status === 'SENT')).toHaveLength(40));
    for (const { calls } of [one(), two(), three()]) expect(new Set(calls).size).toBe(calls.length);
    await eventually(async () => expect(await webhookJobs()).toEqual([]));
  });

  it('that take long stay with their worker', async () => {
    await house.boot({ ...SETTINGS, DELIVERY_LEASE_MS: LEASE_MS });
    const trigger = await house.watch(owner, NS, 'slow.ifc', [one().url]);
    await house.upload(NS, 'slow.ifc');
    await eventually(() => expect(one().calls).toHaveLength(1));
    const lease = async () => (await query<{ until: Date }>(`SELECT leased_until AS until FROM job WHERE kind = 'notificationsvc.webhook'`))[0]?.until.getTime() ?? 0;
    const first = await lease();
    await eventually(async () => expect(await lease()).toBeGreaterThan(first + LEASE_MS));
    one().answer();
    await eventually(async () => expect(await log(NS, trigger)).toMatchObject([{ _status: 'SENT', _attempts: 1 }]));
    expect(one().calls).toHaveLength(1);
  });

  it('of a worker that fell silent are tried again by another, under the same id; what the first says then counts no more', async () => {
    await house.boot({ ...SETTINGS, ...PATIENT_LEASE });
    const trigger = await house.watch(owner, NS, 'orphan.ifc', [one().url]);
    await house.upload(NS, 'orphan.ifc');
    await eventually(() => expect(one().calls).toHaveLength(1));
    await takeOver();
    await eventually(() => expect(one().calls).toHaveLength(2));
    one().answer();
    await eventually(async () => expect(await log(NS, trigger)).toMatchObject([{ _status: 'SENT', _attempts: 2 }]));
    expect(new Set(one().calls).size).toBe(1);
    await eventually(async () => expect(await webhookJobs()).toEqual([]));
  });

  it('that took their worker with them at the last attempt are given up, and those behind them go out', async () => {
    await house.boot({ ...SETTINGS, ...PATIENT_LEASE, DELIVERY_ATTEMPTS: 1, DELIVERY_PER_RECEIVER: 1 });
    const trigger = await house.watch(owner, NS, 'fatal*.ifc', [one().url]);
    await house.upload(NS, 'fatal 1.ifc');
    await eventually(() => expect(one().calls).toHaveLength(1));
    await house.upload(NS, 'fatal 2.ifc');
    await eventually(async () => expect(await log(NS, trigger)).toHaveLength(2));
    await takeOver();
    await eventually(() => expect(one().calls).toHaveLength(2));
    one().answerFirst();
    one().answerFirst();
    await eventually(async () => expect((await log(NS, trigger)).map(({ _status, _error }) => [_status, _error]).toSorted()).toEqual([
      ['ERROR', 'how the last attempt went is not known: its process ended'], ['SENT', undefined],
    ]));
  });

  it('that the end of the process has stopped have not been tried', async () => {
    await house.boot({ ...SETTINGS, DELIVERY_ATTEMPTS: 1 });
    const trigger = await house.watch(owner, NS, 'stopped.ifc', [one().url]);
    await house.upload(NS, 'stopped.ifc');
    await eventually(() => expect(one().calls).toHaveLength(1));
    await house.closeAll();
    await house.boot({ ...SETTINGS, DELIVERY_ATTEMPTS: 1 });
    await eventually(() => expect(one().calls).toHaveLength(2));
    one().answer();
    await eventually(async () => expect(await log(NS, trigger)).toMatchObject([{ _status: 'SENT', _attempts: 1 }]));
  });

  it('that a replica of the release before has left due are taken over, those in its hands are not', async () => {
    await house.boot(SETTINGS);
    one().answer();
    const trigger = await house.watch(owner, NS, 'left.ifc', [one().url]);
    await house.upload(NS, 'left.ifc', 3);
    await eventually(async () => expect((await log(NS, trigger)).map(({ _status }) => _status)).toEqual(['SENT', 'SENT', 'SENT']));
    await eventually(async () => expect(await webhookJobs()).toEqual([]));
    const [due, , inHand] = one().calls as [string, string, string];
    const asBefore = (id: string, columns: string) => query(`UPDATE notification SET status = 'SENDING', next_attempt_at = NULL, ${columns} WHERE id = '${id}'`);
    await asBefore(due, `due_at = now()`);
    await asBefore(inHand, `due_at = now() + interval '1 hour', running = true`);
    await house.closeAll();
    await house.boot(SETTINGS);
    await eventually(() => expect(one().calls.slice(3)).toEqual([due]));
    await eventually(async () => expect((await log(NS, trigger)).map(({ _status }) => _status).toSorted()).toEqual(['SENDING', 'SENT', 'SENT']));
  });
});
