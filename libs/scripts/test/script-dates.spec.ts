import { ScriptRunner } from '../src';
import { FakePlatform } from './fake-platform';

describe('dates of scripts', () => {
  let runner: ScriptRunner;
  let platform: FakePlatform;
  beforeAll(() => {
    runner = new ScriptRunner({ threads: 1 });
    platform = new FakePlatform(() => runner);
  });
  afterAll(() => runner.close());

  /** Values of expressions, in which `zurich` and `apia` are zones. */
  const values = (...expressions: string[]) => platform.result(`
    const [zurich, apia, saoPaulo] = await Promise.all(['Europe/Zurich', 'Pacific/Apia', 'America/Sao_Paulo'].map((name) => dates.zone(name)));
    const of = (work) => { try { return work(); } catch (error) { return error.name; } };
    return [${expressions.map((expression) => `of(() => ${expression})`).join(', ')}];`);

  it('are read from ISO 8601, and from nothing else', async () => {
    expect(await values(
      'dates.parse("2024-02-29")', 'dates.parse("2024-02")', 'dates.parse("2024-02-29T10:15Z")', 'dates.parse(" 2024-02-29 10:15:30,1239 ")', 'dates.parse("2024-02-29T10:15+05:30")', 'dates.parse("2024-02-29T10:15-0100")', 'dates.parse("2024-02-29T10:15+01")',
      'dates.parse("2024-07-01T12:00", zurich)', 'dates.parse("2024-07-01T12:00Z", zurich)', 'dates.parse("2024-07-01", zurich)',
    )).toEqual([
      '2024-02-29T00:00:00.000Z', '2024-02-01T00:00:00.000Z', '2024-02-29T10:15:00.000Z', '2024-02-29T10:15:30.123Z', '2024-02-29T04:45:00.000Z', '2024-02-29T11:15:00.000Z', '2024-02-29T09:15:00.000Z',
      '2024-07-01T10:00:00.000Z', '2024-07-01T12:00:00.000Z', '2024-06-30T22:00:00.000Z',
    ]);
    for (const bad of ['2023-02-29', '2024-13-01', '2024-00-01', '2024-01-32', '2024-01-01T24:00', '2024-01-01T10:60', '2024-01-01T10:00:60', '24-01-01', '1.2.2024', '', 'x', '2024-01-01T']) expect(await values(`dates.parse(${JSON.stringify(bad)})`)).toEqual(['RangeError']);
  });

  it('that clocks skip or show twice are the moment of the skip and the first of the two', async () => {
    expect(await values('dates.parse("2024-03-31T02:30", zurich)', 'dates.parse("2024-10-27T02:30", zurich)', 'dates.parse("2011-12-30T12:00", apia)', 'dates.startOf("2018-11-04T12:00Z", "day", saoPaulo)'))
      .toEqual(['2024-03-31T01:00:00.000Z', '2024-10-27T00:30:00.000Z', '2011-12-30T10:00:00.000Z', '2018-11-04T03:00:00.000Z']);
  });

  it('are written by a pattern', async () => {
    const summer = '"2024-07-01T10:05:09.007Z"';
    expect(await values(`dates.format(${summer})`, `dates.format(${summer}, undefined, zurich)`, `dates.format(${summer}, "dd.MM.yyyy HH:mm:ss,SSS (XXX)", zurich)`, 'dates.format(new Date(0), "yyyy")', 'dates.format(0, "XXX", saoPaulo)', 'dates.format(new Date(NaN))'))
      .toEqual(['2024-07-01T10:05:09.007Z', '2024-07-01T12:05:09.007+02:00', '01.07.2024 12:05:09,007 (+02:00)', '1970', '-03:00', 'RangeError']);
  });

  it('are reckoned with by the calendar, and by time', async () => {
    expect(await values(
      'dates.add("2024-01-31", { months: 1 })', 'dates.add("2024-02-29", { years: 1 })', 'dates.add("2024-03-31", { months: -1 })', 'dates.add("2024-01-01", { weeks: 1, days: -1, hours: 2 })',
      'dates.add("2024-03-30T12:00Z", { days: 1 }, zurich)', 'dates.add("2024-03-30T12:00Z", { hours: 24 }, zurich)',
      'dates.difference("2024-03-31T12:00Z", "2024-03-30", "hours")', 'dates.difference("2024-03-30", "2024-03-31T12:00Z", "days")', 'dates.difference("2024-03-30", "2024-02-29", "months")', 'dates.difference("2024-03-28", "2024-02-29", "months")',
      'dates.difference("2024-02-29", "2024-03-31", "months")', 'dates.difference("2026-02-28", "2024-02-29", "years")', 'dates.difference(5, 2)', 'dates.difference(1, 2, "moons")',
    )).toEqual([
      '2024-02-29T00:00:00.000Z', '2025-02-28T00:00:00.000Z', '2024-02-29T00:00:00.000Z', '2024-01-07T02:00:00.000Z', '2024-03-31T11:00:00.000Z', '2024-03-31T12:00:00.000Z',
      36, -1.5, 1, 0, -1, 2, 3, 'RangeError',
    ]);
  });

  it('have beginnings of their hour, day, week, month and year', async () => {
    const at = '"2024-03-31T10:44:55.5Z"';
    expect(await values(...['minute', 'hour', 'day', 'week', 'month', 'year'].map((unit) => `dates.startOf(${at}, "${unit}")`))).toEqual(
      ['2024-03-31T10:44:00.000Z', '2024-03-31T10:00:00.000Z', '2024-03-31T00:00:00.000Z', '2024-03-25T00:00:00.000Z', '2024-03-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z']);
    expect(await values(...['hour', 'day', 'week', 'month', 'year'].map((unit) => `dates.startOf(${at}, "${unit}", zurich)`), 'dates.startOf("2024-10-27T01:20Z", "hour", zurich)', 'dates.startOf(-1, "hour")', `dates.startOf(${at}, "decade")`)).toEqual(
      ['2024-03-31T10:00:00.000Z', '2024-03-30T23:00:00.000Z', '2024-03-24T23:00:00.000Z', '2024-02-29T23:00:00.000Z', '2023-12-31T23:00:00.000Z', '2024-10-27T01:00:00.000Z', '1969-12-31T23:00:00.000Z', 'RangeError']);
  });

  it('are by no clock that nobody knows', async () => {
    expect(await platform.result('return (await Promise.allSettled(["Mars/Olympus", "+01:00", undefined].map((name) => dates.zone(name)))).map(({ reason }) => reason.code);')).toEqual(['invalid', 'invalid', 'invalid']);
    expect(await values('dates.format("2200-01-01", undefined, zurich)', 'dates.startOf("1950-01-01", "day", zurich)')).toEqual(['RangeError', 'RangeError']);
  });
});
