import { Turns } from './turns';

describe('Turns', () => {
  it('does work of one name in order, one at a time, also after a failure', async () => {
    const turns = new Turns();
    const log: string[] = [];
    const step = (name: string, fails = false) => turns.take('a', async () => {
      log.push(`${name}+`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`${name}-`);
      if (fails) throw new Error(name);
      return name;
    });
    const results = await Promise.allSettled([step('1'), step('2', true), step('3')]);
    expect(log).toEqual(['1+', '1-', '2+', '2-', '3+', '3-']);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('keeps other names going', async () => {
    const turns = new Turns();
    let open: () => void = () => undefined;
    const stuck = turns.take('a', () => new Promise<void>((resolve) => { open = resolve; }));
    expect(await turns.take('b', () => Promise.resolve('done'))).toBe('done');
    open();
    await stuck;
  });
});
