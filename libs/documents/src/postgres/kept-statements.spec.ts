import { CONNECTION_SECONDS, KeptStatements } from './kept-statements';

describe('statements that connections keep planned', () => {
  it('have one name each for as long as they are used, and no name twice', () => {
    let now = 0;
    const kept = new KeptStatements(2, () => now);
    const [first, second] = [kept.nameOf('select 1'), kept.nameOf('select 2')];
    expect(first).toBeDefined();
    expect(second).not.toBe(first);
    now = CONNECTION_SECONDS * 1_000 - 1;
    expect(kept.nameOf('select 1')).toBe(first);
    expect(kept.nameOf('select 3')).toBeUndefined(); // both may be kept by a connection that lives
    now += 1;
    const third = kept.nameOf('select 3'); // the second has rested
    expect([first, second, undefined]).not.toContain(third);
    expect(kept.nameOf('select 2')).toBeUndefined();
    expect(kept.nameOf('select 1')).toBe(first);
  });

  it('are not those of a size that nobody would keep', () => {
    expect(new KeptStatements().nameOf(`select ${'1 + '.repeat(1_000)}1`)).toBeUndefined();
  });
});
