import { decodeJwt } from 'jose';
import { eventually } from '@twinyard/testing';
import { builtInComponents } from '../src/components/built-in-components';
import { PlatformStandIn } from './consumer-contract/platform-stand-in';
import { EXPECTED_BY_SCRIPTS } from './consumer-contract/script-contract';
import { addressesAt, NS, ORCHESTRATORS, RUNS, type RunBody, RunningService } from './running-service';

const TARGET = 'default_script_target';
/** Asks the platform for what a spec may hold back. */
const ASKS = 'await platform.items.findOne({ _userType: "asked" });';

describe('a step that runs a script', () => {
  let service: RunningService;
  let platform: PlatformStandIn;
  let owner: string;

  beforeAll(async () => {
    platform = await PlatformStandIn.start(EXPECTED_BY_SCRIPTS);
    service = await RunningService.start(builtInComponents({ scripts: { threads: 2, instantThreads: 1, seconds: 60 } }), { ...addressesAt(platform.url), RUN_CONCURRENCY: 2 });
    owner = await service.passport.token('owner');
    await service.passport.grant('owner', NS, ['*']);
  });
  beforeEach(() => {
    platform.items.all.length = 0;
    platform.items.readings.clear();
    platform.calls.length = 0;
    platform.notices.clear();
    platform.disturb = () => undefined;
    platform.others = () => ({ status: 404, body: { message: 'There is no such thing', code: 'not_found' } });
  });
  afterEach(() => expect(platform.violations).toEqual([]));
  afterAll(async () => {
    await service?.stop();
    await platform?.stop();
  });

  const script = (source: string, userType = 'job') => platform.items.addScript(userType, source);
  const body = (statements: string) => script(`export default async (input, { platform, dates }, ctx) => {\n${statements}\n};`);
  const task = (params: object = {}, more: object = {}) => ({ _orchcomp: TARGET, _name: 'Job', _actualparams: { userType: 'job', ...params }, ...more });
  const start = async (tasks: readonly object[] = [task()], changes: object = {}) => service.startRun(owner, await service.orchestrator(owner, tasks, changes));
  const run = async (tasks?: readonly object[]): Promise<RunBody> => service.ended(owner, (await start(tasks)).id);
  const resultOf = async (tasks?: readonly object[]): Promise<unknown> => {
    const done = await run(tasks);
    expect(done.orchrunsteps.map(({ _statusmsg }) => _statusmsg)).toEqual(done.orchrunsteps.map(() => ''));
    return JSON.parse((done._result as string | undefined) ?? 'null');
  };
  const messageOf = ({ orchrunsteps: [step] }: RunBody) => step?._statusmsg;
  const logOf = async (id: string) => (await service.log(owner, id)).map(({ level, message }) => `${String(level)} ${String(message)}`);
  const isAsking = () => eventually(() => expect(platform.calls.some(({ path }) => path.includes('asked'))).toBe(true));
  /** Does so with what a script asks, and not when it is itself looked for. */
  const answerAskedBy = (disturbance: ReturnType<PlatformStandIn['disturb']>) => {
    platform.disturb = () => (platform.calls.at(-1)?.path.includes('asked') ? disturbance : undefined);
  };
  const hold = () => answerAskedBy('hold');

  it('is given what the step was, and gives what the next one gets', async () => {
    body('return [input, ctx.runId === input.orchRunId, typeof ctx.stepId, ctx.namespaces, ctx.principalInfo, ctx.now instanceof Date];');
    const { id } = await start([{ _orchcomp: 'ping', _actualparams: { a: 1 } }, task({ b: 2 }), { _orchcomp: 'ping' }]);
    const done = await service.ended(owner, id);
    expect(done).toMatchObject({ _status: 'COMPLETED' });
    const { inparams } = JSON.parse(done._result as string) as { inparams: unknown[] };
    expect(inparams).toEqual([
      { orchRunId: id, actualParams: { userType: 'job', b: 2 }, inparams: { pong: true, orchRunId: id, actualParams: { a: 1 }, inparams: null } }, true, 'string', [NS],
      { type: 'user', id: 'owner', appId: 'app', scopes: ['read', 'write'] }, true,
    ]);
  });

  it('calls the latest script of the user type, by its default export or the one that is named', async () => {
    script('export default () => "old";');
    script('export default () => "default"; export const named = () => "named"; export const value = 5;');
    expect(await resultOf()).toBe('default');
    expect(await resultOf([task({ _scriptName: 'named' })])).toBe('named');
    expect(messageOf(await run([task({ _scriptName: 'value' })]))).toBe('The script exports no function value');
    expect(messageOf(await run([task({ _scriptName: 'toString' })]))).toBe('The script exports no function toString');
  });

  it('imports other scripts, and says in the log of its run which version of which item each was', async () => {
    const units = script('import { factor } from "script:factors"; export const toKelvin = (c) => c + factor();', 'units');
    script('import { base } from "script:job"; export const factor = () => base;', 'factors');
    const job = script('import { toKelvin } from "script:units"; export const base = 273.15; export default () => toKelvin(0);');
    const { id } = await start();
    expect(JSON.parse((await service.ended(owner, id))._result as string)).toBe(273.15);
    const log = await logOf(id);
    expect(log).toContain(`info Runs script:job, version 1 of the item ${job._userItemId} (${job._id}) "job"`);
    expect(log).toContain(`info Imports script:units, version 1 of the item ${units._userItemId} (${units._id}) "units"`);
    expect(log.findIndex((line) => line.startsWith('info Runs script:job'))).toBeLessThan(log.indexOf('info Step 1 "Job" started'));
  });

  it('is the script of the beginning of its run, whatever was written since', async () => {
    answerAskedBy({ status: 503, headers: { 'retry-after': '1' }, body: { message: 'away' } });
    script(`export default async (input, { platform }) => { ${ASKS} return 'first'; };`, 'slow');
    script('export default (input) => [input.inparams, "old"];');
    const { id } = await start([task({ userType: 'slow' }), task()]);
    await isAsking();
    script('export default (input) => [input.inparams, "new"];');
    platform.disturb = () => undefined;
    expect(JSON.parse((await service.ended(owner, id))._result as string)).toEqual(['first', 'old']);
    expect((await logOf(id)).filter((line) => line.startsWith('info Runs script:job'))).toHaveLength(1);
  });

  it('works with the rights of its run, and is counted', async () => {
    platform.others = ({ url }) => ({ status: 200, body: [{ id: url.pathname.split('/').at(-1) }] });
    platform.addFile('plan', 'plan-1', 'plan ü.txt', Buffer.from('text of the plan'));
    const rooms = platform.items.add('rooms', 'NamedUserCollection');
    body(`
      const rows = platform.items.related(${JSON.stringify(rooms._userItemId)});
      await rows.bulk(Array.from({ length: 1200 }, (_, n) => ({ name: 'room ' + n, area: n })));
      const changed = [];
      for await (const row of rows.list({}, { pageSize: 500 })) if (row.area >= 1100) changed.push({ ...row, area: row.area + 0.5 });
      await rows.update(changed);
      await platform.files.upload('report.txt', 'rooms: ' + changed.length);
      return [await platform.files.text('plan'), (await platform.runs.get('r')).id, changed.length, (await platform.items.findOne({ _userType: 'rooms' }))._userItemId];`);
    const done = await run();
    expect(JSON.parse((done._result as string | undefined) ?? 'null')).toEqual(['text of the plan', 'r', 100, rooms._userItemId]);
    expect([...(rooms.versions[0]?.items.values() ?? [])].filter(({ area }) => Number(area) % 1 === 0.5)).toHaveLength(100);
    expect(platform.files.get('file of report.txt')?.versions.get('version of report.txt')?.toString()).toBe('rooms: 100');
    expect(done._usage).toMatchObject({ _requests: platform.calls.length });
    expect({ ...done._usage }._cpuMs).toBeGreaterThan(0);
    const tokens = new Set(platform.calls.map(({ token }) => token));
    for (const token of tokens) expect(decodeJwt(token?.replace('Bearer ', '') ?? '')).toMatchObject({ sub: 'owner', run_id: done.id, run_namespaces: [NS] });
  });

  it('has what it is refused thrown, and reaches nothing that is not for scripts', async () => {
    body('try { await platform.items.related("nothing").list().toArray(); } catch ({ status, code, message }) { return [status, code, message]; }');
    expect(await resultOf()).toEqual([404, 'not_found', 'itemsvc: There is no item "nothing"']);
    body('const paths = ["/passportsvc/api/v1/oauth/userinfo", "/passportsvc/api/v1/scim/Users", "/itemsvc/internal", "//evil.example/itemsvc/api/v1/x"]; return (await Promise.allSettled(paths.map((path) => platform.request("GET", path)))).map(({ reason }) => reason.code);');
    platform.calls.length = 0;
    expect(await resultOf()).toEqual(['forbidden', 'forbidden', 'invalid', 'invalid']);
    expect(platform.calls.map(({ name }) => name)).toEqual(['list items']);
    platform.others = () => ({ status: 409, body: { message: 'taken', code: 'conflict' } });
    body('try { await platform.runs.get("r"); } catch ({ status, code }) { return [status, code]; }');
    expect(await resultOf()).toEqual([409, 'conflict']);
  });

  it('writes to the log of its run while it goes on, and shows how far it is', async () => {
    hold();
    body(`console.debug('from the console', { a: [1] }); ctx.log('warn', 'from the context', { b: 2 }); ctx.log('error', '${'x'.repeat(5_000)}'); ctx.progress(3, 10); ${ASKS} ctx.progress(10, 10); ctx.log('info', 'after');`);
    const { id } = await start();
    await eventually(async () => expect(await logOf(id)).toEqual(expect.arrayContaining(['debug from the console {"a":[1]}', 'warn from the context {"b":2}', expect.stringMatching(/^error x{3900} … \(1100 more characters\)$/)])));
    await eventually(async () => expect((await service.run(owner, id))._progress).toEqual({ _done: 3, _total: 10 }));
    expect((await service.run(owner, id))._status).toBe('RUNNING');
    platform.disturb = () => undefined;
    await service.silence(id);
    const done = await service.ended(owner, id);
    expect([done._status, done._progress]).toEqual(['COMPLETED', { _done: 10, _total: 10 }]);
    const log = await logOf(id);
    expect(log.indexOf('info after')).toBeLessThan(log.indexOf('info Step 1 "Job" completed'));
    expect(log).toContain('info Step 1 "Job" started again');
  });

  it('says when it did not wait for its calls', async () => {
    hold();
    body('platform.items.findOne({ _userType: "asked" }); return 1;');
    const { id } = await start();
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'COMPLETED', _result: '1' });
    expect(await logOf(id)).toContainEqual(expect.stringContaining('warn 1 of its calls had no answer yet'));
  });

  it.each([
    ['throws an error', 'throw new Error("no readings for AHU1");', 'no readings for AHU1 (line 2)'],
    ['throws an error of another kind', 'null.x;', /^TypeError: .* \(line 2\)$/],
    ['throws a text', 'throw "a text";', 'a text'],
    ['throws nothing', 'throw undefined;', 'The script threw undefined'],
    ['throws an error without words', '\nthrow new Error("");', 'The script threw Error: (line 3)'],
    ['is refused and does not mind', '\nawait platform.files.get("nothing");', 'filesvc: There is no file "nothing" (line 3)'],
    ['gives what is no JSON', 'const o = {}; o.o = o; return o;', /circular/],
    ['gives what cannot be kept', 'return { a: ["\\0"] };', /^The result of the script\.a\[0\]: holds a NUL character/],
    ['gives what is nested too deep', 'let o = 1; for (let n = 0; n < 200; n += 1) o = [o]; return o;', 'The result of the script is nested deeper than 150 levels'],
    ['gives too much', 'return "x".repeat(2e6);', 'The result of the script has more than 1048576 bytes'],
    ['needs too much memory', 'const all = []; for (;;) all.push(new Uint8Array(1e6));', /memory$/],
    ['calls itself for ever', 'const down = () => down() + 1; return down();', 'The script calls itself too often'],
    ['waits for what never comes', 'await new Promise(() => {});', 'The promise of the script is never settled: there is nothing that it could wait for'],
  ])('fails for good when it %s', async (_what, statements, message) => {
    body(statements);
    const done = await run([task({}, { _retry: { _max: 3, _backoff: '* * *' } })]);
    expect(done).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _status: 'ERROR', _attempts: 1, _statusmsg: typeof message === 'string' ? message : (expect.stringMatching(message) as string) }] });
  });

  it('is tried again all the same where its task says so', async () => {
    body('throw new Error("again");');
    const { id } = await start([task({}, { _retry: { _max: 2, _backoff: '* * *', _on: 'ANY' } })]);
    expect(await service.ended(owner, id)).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _attempts: 3, _statusmsg: 'again (line 2)' }] });
  });

  it('says where in what it imports something is wrong', async () => {
    script('\n\nexport const fails = () => { throw new RangeError("out of range"); };', 'units');
    script('import { fails } from "script:units";\nexport default () => fails();');
    expect(messageOf(await run())).toBe('RangeError: out of range (script:units, line 3)');
    script('import { nothing } from "script:gone";\nexport default () => 1;');
    expect(messageOf(await run())).toBe('There is no Script of the user type "gone" that the run may read (line 1)');
    script('import fs from "node:fs";\nexport default () => 1;');
    expect(messageOf(await run())).toContain('There is no module "node:fs"');
  });

  it('says so when its script is gone, and does not begin without one', async () => {
    expect(messageOf(await run())).toBe('There is no Script of the user type "job" that the run may read');
    const bad = await service.call(owner, 'post', ORCHESTRATORS).send({ _name: 'Job', _namespaces: [NS], _params: { tasks: [{ _orchcomp: TARGET, _actualparams: { userType: 5 } }] } }).expect(400);
    expect(bad.body.details).toEqual([{ field: '_params.tasks[0]._actualparams.userType', issue: 'must be a text (it is a number)' }]);
  });

  it('that does not parse is said so before anything is done, with line and column, and fails in its turn', async () => {
    script('export default () => {\n  const = 1;\n};');
    const { id } = await start([{ _orchcomp: 'ping' }, task()]);
    const done = await service.ended(owner, id);
    const fault = /^The script does not parse: .* \(line 2, column \d+\)/;
    expect(done).toMatchObject({ _status: 'ERROR', orchrunsteps: [{ _status: 'COMPLETED' }, { _status: 'ERROR', _statusmsg: expect.stringMatching(fault) as string }] });
    const log = await service.log(owner, id);
    expect(log[0]).toMatchObject({ level: 'warn', message: expect.stringMatching(fault) as string });
    script('import "script:broken";\nexport default () => 1;');
    script('\n\nexport const a = ;', 'broken');
    expect(messageOf(await run())).toMatch(/^The script does not parse: .* \(script:broken, line 3, column \d+\)$/);
  });

  it.each([
    ['loops', 'for (;;) {}'],
    ['waits', `for (;;) try { ${ASKS} } catch {}`],
  ])('is cancelled while it %s, and its thread is another\'s', async (_what, statements) => {
    hold();
    body(`ctx.log('info', 'begun'); ${statements}`);
    const runs = [await start(), await start()];
    for (const { id } of runs) await eventually(async () => expect(await logOf(id)).toContain('info begun'));
    const before = performance.now();
    for (const { id } of runs) await service.call(owner, 'put', `${RUNS}/${id}`).send({ id }).expect(200);
    for (const { id } of runs) expect(await service.ended(owner, id)).toMatchObject({ _status: 'CANCELLED', orchrunsteps: [{ _status: 'CANCELLED' }] });
    // A second is what it may take; the rest is for a machine that stops for seconds.
    expect(performance.now() - before).toBeLessThan(15_000);
    body('return 7;');
    expect(await resultOf()).toBe(7);
  });

  it.each([
    ['its step', { _timeout: '* * 1' }, {}, 'The step took longer than its time limit'],
    ['its run', {}, { _timeout: '* * 1' }, 'The run took longer than its time limit'],
  ])('is ended when the time of %s is over, in the middle of a loop', async (_whose, ofTask, ofRun, message) => {
    body('for (;;) {}');
    const done = await service.ended(owner, (await start([task({}, ofTask)], ofRun)).id);
    expect([done._status, messageOf(done)]).toEqual(['ERROR', message]);
    body('return 8;');
    expect(await resultOf()).toBe(8);
  });

  it('may run as long as the setting says where nobody says otherwise', async () => {
    const hasty = await RunningService.start(builtInComponents({ scripts: { threads: 1, instantThreads: 1, seconds: 1 } }), addressesAt(platform.url));
    try {
      const token = await hasty.passport.token('owner');
      await hasty.passport.grant('owner', NS, ['*']);
      body('for (;;) {}');
      const ended = async (tasks: readonly object[]) => hasty.ended(token, (await hasty.startRun(token, await hasty.orchestrator(token, tasks))).id);
      expect(messageOf(await ended([task()]))).toBe('The script takes too long: it may run for 1 s');
      body('const until = Date.now() + 2000; while (Date.now() < until); return 9;');
      expect(await ended([task({}, { _timeout: '* 1 *' })])).toMatchObject({ _status: 'COMPLETED', _result: '9' });
    } finally {
      await hasty.stop();
    }
  });

  it('starts again from its beginning when its worker has died', async () => {
    hold();
    body(`ctx.log('info', 'begun'); ${ASKS} return ctx.now;`);
    const { id } = await start();
    await isAsking();
    // It is written while the script goes on.
    await eventually(async () => expect(await logOf(id)).toContain('info begun'));
    platform.disturb = () => undefined;
    await service.silence(id);
    const done = await service.ended(owner, id);
    expect(done).toMatchObject({ _status: 'COMPLETED', orchrunsteps: [{ _attempts: 1 }] });
    expect((await logOf(id)).filter((line) => line === 'info begun')).toHaveLength(2);
    // The same in each attempt.
    const [kept] = await service.query<{ started_at: Date }>('SELECT started_at FROM orchestrator_run WHERE id = $1', [id]);
    expect(JSON.parse(done._result as string)).toBe(kept?.started_at.toISOString());
  });

  it('answers inside of a request where its orchestrator is instant', async () => {
    body('return { a: [1, null] };');
    expect(await start([task()], { _instant: true })).toMatchObject({ _status: 'COMPLETED', _result: { a: [1, null] } });
  });

  it('tells something under an id of its own', async () => {
    body('return await platform.notify("Done", { data: { n: 1 }, eventId: ctx.stepId });');
    const done = await run();
    expect(JSON.parse(done._result as string)).toBe(done.orchrunsteps[0]?.id);
    expect([...platform.notices.values()]).toEqual([{ _name: 'Done', _data: { n: 1 }, _namespaces: [NS], _eventId: done.orchrunsteps[0]?.id }]);
  });

  it('asks again while a service is away, and does nothing twice', async () => {
    platform.disturb = ({ name, nth }) => {
      if (name === 'make rows in bulk' && nth === 1) return 'lose the answer';
      return name === 'list rows' && nth === 1 ? { status: 503, headers: { 'retry-after': '0' }, body: { message: 'away' } } : undefined;
    };
    const rooms = platform.items.add('rooms', 'NamedUserCollection');
    body(`const rows = platform.items.related('${rooms._userItemId}'); await rows.bulk([{ a: 1 }, { a: 2 }]); return (await rows.list().toArray()).length;`);
    expect(await resultOf()).toBe(2);
    expect(platform.count('make rows in bulk')).toBe(2);
  });
});
