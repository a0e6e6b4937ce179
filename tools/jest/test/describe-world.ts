import { readFileSync } from 'node:fs';
import { loads } from './loads';

/** What holds in the first spec file of a worker as in the next one. */
export function describeWorld(): void {
  it('loads a module once for all files', () => {
    expect(loads()).toBe(1);
  });

  it("knows Node's errors for errors", () => {
    expect(() => readFileSync('/no/such/file')).toThrow(Error);
  });

  it('refuses to mock a module that others have loaded', () => {
    expect(() => jest.doMock('./loads', () => ({}))).toThrow('@jest-environment node');
  });

  it('carries nothing of Jest along with a promise', () => {
    const carried = Object.getOwnPropertySymbols(Promise.resolve()).map(({ description }) => description);
    expect(carried).not.toContain('kResourceStore');
  });

  it('finds the process as it was, and leaves a mess', () => {
    expect([process.env['LEFT_BEHIND'], process.env['PATH'], process.env['KEPT'], jest.isMockFunction(process.cwd)]).toEqual([undefined, expect.stringMatching(/./), 'kept', false]);
    process.env['LEFT_BEHIND'] = 'by another file';
    delete process.env['KEPT'];
    jest.spyOn(process, 'cwd');
  });
}
