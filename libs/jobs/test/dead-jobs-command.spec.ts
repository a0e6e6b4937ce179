import { type Hold, Jobs, runJobsCommand } from '../src';
import { NOTE, terms } from './jobs-subject';
import { openSqlSubject } from './sql-subject';

it('lists jobs, and dead ones with their cause, has them done again, removes them, and does nothing to all of them unless it is told to', async () => {
  const subject = await openSqlSubject();
  try {
    const { store, unitOfWork } = subject;
    const jobs = new Jobs(store, subject.notices());
    const command = async (...args: string[]) => {
      const lines: string[] = [];
      return { code: await runJobsCommand(args, store, (line) => lines.push(line)), text: lines.join('\n') };
    };
    await unitOfWork.run((tx) => jobs.enqueueAll(tx, NOTE, ['a', 'b'].map((namespace) => ({ payload: { text: 'secret text' }, namespace, requestId: `req-${namespace}` }))));
    const listed = (await command('list', '--namespace', 'b')).text;
    expect([JSON.parse(listed), listed.includes('secret text')]).toEqual([expect.objectContaining({ kind: NOTE.kind, namespace: 'b', state: 'READY', attempts: 0, cause: null, requestId: 'req-b' }), false]);
    for (const held of (await store.claim(terms(2), [])).jobs) await unitOfWork.run((tx) => store.bury(tx, held as Hold, 'no server'));
    expect(await command('dead', '--namespace', 'a')).toEqual({ code: 0, text: expect.stringMatching(/"kind":"test.note","namespace":"a","attempts":1,"cause":"no server"/) as string });
    // What it was told is the tenant's, or holds links that are worth something.
    expect((await command('dead')).text).not.toContain('secret text');
    expect((await command('figures')).text).toMatch(/"queued":0,"running":0,"dead":2/);
    expect([(await command('retry')).code, (await command('drop')).code, (await command('raise')).code, (await command()).code]).toEqual([2, 2, 2, 2]);
    expect((await command('retry', '--kind', 'test.note', '--namespace', 'b')).text).toBe('1 jobs will be done again');
    expect((await command('drop', '--namespace', 'b')).text).toBe('0 jobs were removed');
    expect((await command('drop', '--all')).text).toBe('1 jobs were removed');
    expect((await command('replay', '--all')).text).toBe('0 jobs will be done again');
    expect((await store.claim(terms(5), [])).jobs).toHaveLength(1);
  } finally {
    await subject.close();
  }
});
