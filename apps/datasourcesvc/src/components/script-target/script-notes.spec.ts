import { eventually } from '@twinyard/testing';
import type { LogLine, StepReport } from '../step-context';
import { ScriptNotes } from './script-notes';

describe('what a script says while it runs', () => {
  let written: (readonly LogLine[])[];
  let reports: StepReport[];
  let failure: Error | undefined;
  let notes: ScriptNotes;
  beforeEach(() => {
    [written, reports, failure] = [[], [], undefined];
    notes = new ScriptNotes({
      logAll: async (lines) => {
        if (failure) throw failure;
        written.push(lines);
      },
      report: async (report) => void reports.push(report),
    });
  });
  const say = (text: string) => notes.hearLine({ level: 'info', text });

  it('is written at once, and then some at a time, in its order; of its progress the latest', async () => {
    say('first');
    await eventually(() => expect(written).toHaveLength(1));
    for (let n = 0; n < 1_000; n += 1) {
      say(`${n}`);
      notes.hearProgress(n, undefined);
    }
    notes.hearProgress(1_000, 2_000);
    await notes.end();
    expect(written.flat().map(({ message }) => message)).toEqual(['first', ...Array.from({ length: 1_000 }, (_, n) => `${n}`)]);
    expect(written.length).toBeLessThan(10);
    expect(reports.at(-1)).toEqual({ _done: 1_000, _total: 2_000 });
    expect(reports.length).toBeLessThan(10);
  });

  it('is written to the end, also what comes while that is awaited', async () => {
    say('first');
    const ended = notes.end();
    say('second');
    await ended;
    expect(written.flat().map(({ message }) => message)).toEqual(['first', 'second']);
    await notes.end();
  });

  it('is cut where one record would be too long, and says so', async () => {
    say('x'.repeat(10_000));
    await notes.end();
    expect(written.flat()[0]?.message).toBe(`${'x'.repeat(3_900)} … (6100 more characters)`);
  });

  it('ends the script when its run cannot be written to, and says why at the end', async () => {
    failure = new Error('the store is away');
    expect(notes.failed.aborted).toBe(false);
    say('first');
    await eventually(() => expect(notes.failed.aborted).toBe(true));
    say('second');
    await expect(notes.end()).rejects.toThrow('the store is away');
  });
});
