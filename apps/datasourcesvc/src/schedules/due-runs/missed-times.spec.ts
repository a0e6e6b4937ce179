import { CATCH_UPS } from '../schedule.entity';
import { dueTimes } from './missed-times';

const STEP = { everyMs: 30_000 };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1) + seconds * 1_000);
const secondsOf = (date: Date | undefined) => (date === undefined ? undefined : (date.getTime() - at(0).getTime()) / 1_000);

/** Of a schedule that is due every 30 s, next at 0. */
const told = (catchUp: (typeof CATCH_UPS)[number], now: number) => {
  const { due, behind } = dueTimes(STEP, catchUp, at(0), at(now));
  return { due: due.map(secondsOf), behind: secondsOf(behind) };
};

describe('what a schedule is to do', () => {
  it.each(CATCH_UPS)('is nothing before its time, and one run for each time that has just come (%s)', (catchUp) => {
    expect(told(catchUp, -7)).toEqual({ due: [], behind: 0 });
    expect(told(catchUp, 0)).toEqual({ due: [0], behind: 30 });
    // As when another has taken over from a worker that died.
    expect(told(catchUp, 59)).toEqual({ due: [0, 30], behind: 60 });
  });

  it('is one run for all that were missed', () => expect(told('ONE', 3_610)).toEqual({ due: [0], behind: 3_630 }));

  it('is nothing of what was missed, where it says so, and what has just come', () => {
    expect(told('NONE', 3_610)).toEqual({ due: [3_570, 3_600], behind: 3_630 });
    const daily = { cron: '0 6 * * *', timezone: 'UTC' };
    const [six, tomorrow] = [new Date('2026-01-01T06:00:00Z'), new Date('2026-01-02T06:00:00Z')];
    expect(dueTimes(daily, 'NONE', six, new Date('2026-01-01T06:01:00Z'))).toEqual({ due: [], behind: tomorrow });
    expect(dueTimes(daily, 'NONE', six, new Date('2026-01-01T06:00:59Z'))).toEqual({ due: [six], behind: tomorrow });
  });

  it('is one run for each that was missed, where it says so, and twenty at most', () => {
    expect(told('ALL', 100)).toEqual({ due: [0, 30, 60, 90], behind: 120 });
    expect(told('ALL', 36_010)).toEqual({ due: Array.from({ length: 20 }, (_, nth) => nth * 30), behind: 36_030 });
  });

  it('is done twenty at a time', () => {
    const { due, behind } = dueTimes({ everyMs: 1_000 }, 'ONE', at(0), at(45));
    expect([due.length, secondsOf(behind)]).toEqual([20, 20]);
  });
});
