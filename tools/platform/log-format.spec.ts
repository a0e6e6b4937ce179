import { Writable } from 'node:stream';
import { formatLine, parseLine } from './log-format';
import { writerTo } from './platform-log';

const otherwise = { level: 'warn', time: new Date('2030-01-01T10:00:00.000Z') };
const format = (text: string, colour = false) => formatLine(parseLine('itemsvc', text, otherwise), colour);

describe('the log of the platform', () => {
  it('shows a line of a service as time, name, level, message and fields', () => {
    const line = JSON.stringify({ level: 'info', time: '2030-01-01T12:00:00.123Z', service: 'itemsvc', pid: 7, runId: 'r1', note: 'two words', list: [1], msg: 'run finished' });
    expect(format(line)).toBe('12:00:00.123 itemsvc         info  run finished runId=r1 note="two words" list=[1]');
  });

  it('shows the stack of an error below its line', () => {
    const line = JSON.stringify({ level: 'error', time: '2030-01-01T12:00:00.123Z', msg: 'failed', err: { message: 'x', stack: 'Error: x\n    at y' } });
    expect(format(line)).toBe('12:00:00.123 itemsvc         error failed\n    Error: x\n        at y');
  });

  it.each(['plain words', '{ not json', '{"other":"json"}', '[1]'])('passes %s through as it is', (text) => {
    expect(format(text)).toBe(`10:00:00.000 itemsvc         warn  ${text}`);
  });

  it('survives a time that is none', () => {
    expect(format('{"level":"info","time":"soon","msg":"x"}')).toBe('--:--:--.--- itemsvc         info  x');
  });

  it('uses colours only where it is asked to', () => {
    expect(format('x', true)).toContain('\u001b[');
    expect(format('x')).not.toContain('\u001b[');
  });

  it('goes on without a reader: what cannot be written is no failure of whoever says it', async () => {
    const failures: string[] = [];
    const unread = new Writable({ autoDestroy: false, write: (_text, _encoding, done) => done(new Error('EPIPE')) });
    const note = (error: Error) => failures.push(error.message);
    process.on('uncaughtException', note);
    const write = writerTo(unread);
    for (const text of ['one', 'two']) {
      write(text);
      await new Promise(setImmediate);
    }
    process.off('uncaughtException', note);
    expect(failures).toEqual([]);
  });
});
