import type { ScopeArea } from '@twinyard/auth';
import { SensorMemory } from './sensor-memory';

const area = (namespace: string): ScopeArea => ({ namespace, whole: true, ids: [], criteria: [], subresources: [] });
const [ONE, OTHER] = [area('one_12345678'), area('other_12345678')];

describe('the memory of sensors', () => {
  let now = 0;
  const make = (most?: number) => new SensorMemory(most, () => now);
  const known = (memory: SensorMemory, caller: string, count: number) => Array.from({ length: count }, (_, n) => n).filter((n) => memory.homeOf(caller, `s${n}`) !== undefined);

  it('forgets of the caller who has most, those first that were not asked for the longest', () => {
    const memory = make(100);
    for (let n = 0; n < 5; n += 1) memory.remember('few', `s${n}`, 'home');
    for (let n = 0; n < 95; n += 1) memory.remember('many', `s${n}`, 'home');
    expect(memory.homeOf('many', 's0')).toBe('home');
    memory.remember('many', 's95', 'home');
    memory.remember('few', 's5', 'home');
    expect([known(memory, 'few', 6), known(memory, 'many', 96)]).toEqual([[0, 1, 2, 3, 4, 5], [0, ...Array.from({ length: 93 }, (_, n) => n + 3)]]);
  });

  it('counts a sensor once, wherever it was found, and not at all when it is forgotten', () => {
    const memory = make(3);
    for (const home of ['a', 'b', 'c', 'd']) memory.remember('one', 's0', home);
    memory.remember('one', 's1', 'a');
    memory.forget('one', 's1');
    memory.remember('one', 's1', 'b');
    memory.remember('other', 's1', 'a');
    expect([memory.homeOf('one', 's0'), memory.homeOf('one', 's1'), memory.homeOf('other', 's1')]).toEqual(['d', 'b', 'a']);
  });

  it('believes that a sensor is nowhere for a minute, within the same reach, until sensors are made', () => {
    const memory = make();
    memory.remember('one', 's', memory.look([ONE, OTHER]));
    expect(memory.homeOf('one', 's')).toBeUndefined();
    expect([memory.isMissing('one', 's', [ONE, OTHER]), memory.isMissing('one', 's', [OTHER]), memory.isMissing('other', 's', [ONE])]).toEqual([true, true, false]);
    expect(memory.isMissing('one', 's', [ONE, area('one_12345678')])).toBe(false);
    now += 59_999;
    expect(memory.isMissing('one', 's', [ONE])).toBe(true);
    now += 1;
    expect(memory.isMissing('one', 's', [ONE])).toBe(false);
    const look = memory.look([ONE]);
    memory.sensorsWereMade();
    memory.remember('one', 's', look);
    expect(memory.isMissing('one', 's', [ONE])).toBe(false);
    memory.remember('one', 's', memory.look([ONE]));
    expect(memory.isMissing('one', 's', [ONE])).toBe(true);
  });
});
