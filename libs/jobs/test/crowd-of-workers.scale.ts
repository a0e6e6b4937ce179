import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setInterval as everyMs } from 'node:timers/promises';
import { onEngine } from '@twinyard/testing';
import { CROWDED, JobProcess, type JobsSubject, NEVER } from './jobs-subject';
import { openMongoSubject } from './mongo-subject';
import { openSqlSubject } from './sql-subject';

const WORKER = resolve(__dirname, '..', '..', '..', 'dist', 'libs', 'jobs', 'test', 'job-process.js');
const WORKERS = 3;
const NAMESPACES = 5;
const KILL_EVERY_MS = 2_000;

/** Three processes at one queue, one of which is killed every two seconds and followed by another. */
function describeCrowd(name: string, count: number, open: () => Promise<JobsSubject>): void {
  describe(`${count} jobs on ${name}`, () => {
    let subject: JobsSubject;
    const workers: ChildProcess[] = [];

    beforeAll(async () => {
      subject = await open();
    });
    afterAll(async () => {
      for (const worker of workers) worker.kill('SIGKILL');
      await subject?.close();
    });

    const begin = () => workers.push(fork(WORKER, [NEVER, ...subject.address], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }));
    const killFirst = async () => {
      const worker = workers.shift() as ChildProcess;
      worker.kill('SIGKILL');
      if (worker.exitCode === null && worker.signalCode === null) await once(worker, 'exit');
    };

    it('are each done, and what they write is written once, though a worker is killed every two seconds', async () => {
      const texts = Array.from({ length: count }, (_, n) => String(n));
      const { jobs } = new JobProcess(subject);
      await subject.unitOfWork.run((tx) => jobs.enqueueAll(tx, CROWDED, texts.map((text, n) => ({ payload: { text }, namespace: `ns_${n % NAMESPACES}` }))));
      for (let started = 0; started < WORKERS; started += 1) begin();
      let kills = 0;
      for await (const _tick of everyMs(KILL_EVERY_MS)) {
        const left = await subject.store.statistics();
        if (left.every(({ queued, running }) => queued + running === 0)) break;
        await killFirst();
        kills += 1;
        begin();
      }
      const notes = await subject.notes();
      const again = notes.filter((note) => !note.endsWith(', attempt 1'));
      process.stdout.write(`${name}: ${kills} workers killed, ${again.length} of ${count} jobs taken over\n`);
      expect(await subject.store.dead({}, 10)).toEqual([]);
      expect(notes).toHaveLength(count);
      expect(new Set(notes.map((note) => note.split(',')[0])).size).toBe(count);
      expect(kills).toBeGreaterThan(0);
    }, 600_000);
  });
}

describeCrowd('PostgreSQL', 10_000, openSqlSubject);
// The stand-in has one writer at a time, and a writer that was killed keeps the others waiting. It shows what is not committed, so claims take their turn among the writers: apart from
// them, a claim forgot the lease of a job that a killed transaction had ended and that came back when it was undone, and nobody took that job over.
onEngine('mongo', () => describeCrowd('MongoDB', 200, () => openMongoSubject()));
