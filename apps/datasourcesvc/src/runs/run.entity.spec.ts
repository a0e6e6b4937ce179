import type { RunStarter } from './run.entity';

describe('who started a run', () => {
  it('is kept with scopes that went through the rule, or does not compile', () => {
    // @ts-expect-error a list of words has not been checked
    const starter: RunStarter = { type: 'user', id: 'ann', scopes: ['read', 'write'] };
    expect(starter.scopes).toHaveLength(2);
  });
});
