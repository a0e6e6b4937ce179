import { dueAfter, isCron, parseRunInterval, type Timing } from './due-times';
import { isTimezone } from './wall-clock';

/** The next due times behind an instant. */
function due(timing: Timing, after: string, count: number): string[] {
  const found: string[] = [];
  let last = new Date(after);
  for (let next = dueAfter(timing, last, last); next !== undefined && found.length < count; next = dueAfter(timing, last, last)) {
    found.push(next.toISOString().replace(':00.000Z', 'Z'));
    last = next;
  }
  return found;
}

const berlin = (cron: string): Timing => ({ cron, timezone: 'Europe/Berlin' });
const newYork = (cron: string): Timing => ({ cron, timezone: 'America/New_York' });

describe('due times in steps', () => {
  it.each([['* * 1', 1_000], ['* * 30', 30_000], ['720 * *', 2_592_000_000]])('%s is %d ms', (text, ms) => expect(parseRunInterval(text)).toBe(ms));
  it.each(['* * *', '0 0 0', '30', 'a b c', '-1 * *'])('refuses %j', (text) => expect(parseRunInterval(text)).toBeUndefined());

  it('stay on their grid, however late somebody looks', () => {
    const anchor = new Date('2026-01-01T00:00:00Z');
    const next = (after: string) => dueAfter({ everyMs: 30_000 }, new Date(after), anchor)?.toISOString();
    expect(next('2026-01-01T00:00:00Z')).toBe('2026-01-01T00:00:30.000Z');
    expect(next('2026-01-01T00:00:29.999Z')).toBe('2026-01-01T00:00:30.000Z');
    expect(next('2026-01-03T07:00:17.250Z')).toBe('2026-01-03T07:00:30.000Z');
  });
});

describe('due times by clocks', () => {
  it('are those of the zone, in summer and in winter', () => {
    expect(due(berlin('0 9 * * MON-FRI'), '2026-01-01T12:00:00Z', 2)).toEqual(['2026-01-02T08:00Z', '2026-01-05T08:00Z']);
    expect(due(berlin('0 9 * * *'), '2026-07-01T12:00:00Z', 1)).toEqual(['2026-07-02T07:00Z']);
    expect(due(newYork('30 18 1 * *'), '2026-07-15T00:00:00Z', 2)).toEqual(['2026-08-01T22:30Z', '2026-09-01T22:30Z']);
  });

  it('lie behind the instant, to the second', () => {
    const timing = berlin('*/10 * * * * *');
    expect(dueAfter(timing, new Date('2026-01-01T00:00:09.999Z'), new Date(0))?.toISOString()).toBe('2026-01-01T00:00:10.000Z');
    expect(dueAfter(timing, new Date('2026-01-01T00:00:10.000Z'), new Date(0))?.toISOString()).toBe('2026-01-01T00:00:20.000Z');
  });

  it('that clocks skip are the moment in which they do, once for all of them', () => {
    expect(due(berlin('30 2 * * *'), '2026-03-28T12:00:00Z', 2)).toEqual(['2026-03-29T01:00Z', '2026-03-30T00:30Z']);
    expect(due(berlin('*/20 1-3 * * *'), '2026-03-29T00:20:00Z', 4)).toEqual(['2026-03-29T00:40Z', '2026-03-29T01:00Z', '2026-03-29T01:20Z', '2026-03-29T01:40Z']);
    expect(due(newYork('30 2 * * *'), '2026-03-07T12:00:00Z', 2)).toEqual(['2026-03-08T07:00Z', '2026-03-09T06:30Z']);
  });

  it('that clocks show twice come the first time alone', () => {
    expect(due(berlin('30 2 * * *'), '2026-10-24T12:00:00Z', 2)).toEqual(['2026-10-25T00:30Z', '2026-10-26T01:30Z']);
    expect(due(berlin('*/30 * * * *'), '2026-10-24T23:45:00Z', 4)).toEqual(['2026-10-25T00:00Z', '2026-10-25T00:30Z', '2026-10-25T02:00Z', '2026-10-25T02:30Z']);
    expect(due(newYork('30 1 * * *'), '2026-10-31T12:00:00Z', 2)).toEqual(['2026-11-01T05:30Z', '2026-11-02T06:30Z']);
  });

  it('are found from within an hour that comes a second time', () => {
    expect(due(berlin('*/30 * * * *'), '2026-10-25T01:15:00Z', 1)).toEqual(['2026-10-25T02:00Z']);
    expect(due(berlin('* * * * * *'), '2026-10-25T01:15:00Z', 1)).toEqual(['2026-10-25T02:00Z']);
  });

  it('know leap days, and zones without summer', () => {
    expect(due({ cron: '0 0 29 2 *', timezone: 'UTC' }, '2026-03-01T00:00:00Z', 2)).toEqual(['2028-02-29T00:00Z', '2032-02-29T00:00Z']);
    expect(due({ cron: '15 6 * * *', timezone: 'Asia/Kolkata' }, '2026-05-01T00:00:00Z', 1)).toEqual(['2026-05-01T00:45Z']);
  });

  it.each(['* * * * *', '0 30 2 * * *', '0 0 L * *', '0 9 * * MON#1', ' 5  4 * * sun '])('takes %j', (cron) => expect(isCron(cron)).toBe(true));

  it.each([
    '', '* * * *', '* * * * * * *', '61 * * * *', '0 24 * * *', 'every day at nine', '@daily', '2026-01-01T00:00:00', '? * * * *', '0 0 * * * Europe/Berlin',
    '0 0 30 2 *', '0 0 0 31 4,6,9,11 *',
  ])('refuses %j, which is none or never comes', (cron) => expect(isCron(cron)).toBe(false));

  it('knows zones by their names', () => {
    for (const known of ['Europe/Berlin', 'America/New_York', 'UTC', 'Etc/GMT+5']) expect([known, isTimezone(known)]).toEqual([known, true]);
    for (const unknown of ['', 'Europe/Nowhere', '+01:00', 'Europe/Berlin ', 'berlin']) expect([unknown, isTimezone(unknown)]).toEqual([unknown, false]);
  });
});
