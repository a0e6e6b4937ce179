import { parseCannot } from './cannot';
import { type EngineRun, verdictOn } from './engine-verdict';

const cannot = parseCannot('mongo | on mongo documents roll back * | no transactions');
const run: EngineRun = { cannot, missing: {}, outside: [], triesCannot: false };
const LISTED = 'on mongo documents roll back a failed change';

describe('a test on the engines', () => {
  it('runs, unless its engine is known not to be able', () => {
    expect(verdictOn('on mongo documents are found again', run)).toEqual({ run: 'run' });
    expect(verdictOn(LISTED, run)).toEqual({ run: 'skip', note: { test: LISTED, reason: 'no transactions', cannot: cannot[0]?.name } });
  });

  it('runs when the engine is given from outside: that one is not the stand-in', () => {
    expect(verdictOn(LISTED, { ...run, outside: ['mongo'] })).toMatchObject({ run: 'run', note: { reason: '' } });
    expect(verdictOn(LISTED, { ...run, outside: ['kafka'] })).toMatchObject({ run: 'skip' });
  });

  it('is noted with the reason when one of its engines is missing', () => {
    const missing = { minio: 'go not found\nand more' };
    expect(verdictOn('on kafka+minio the main job', { ...run, missing })).toMatchObject({ note: { reason: 'go not found' } });
    expect(verdictOn('on kafka the main job', { ...run, missing })).toEqual({ run: 'run' });
    expect(verdictOn('on kafka on minio+mongo the main job', { ...run, missing })).toMatchObject({ note: { reason: 'go not found' } });
  });

  it('has to fail, with nothing beside it, when the list itself is tried', () => {
    expect(verdictOn(LISTED, { ...run, triesCannot: true })).toMatchObject({ run: 'expect a failure' });
    expect(verdictOn(LISTED, { ...run, triesCannot: true, outside: ['mongo'] })).toMatchObject({ run: 'skip' });
    expect(verdictOn('on mongo documents are found again', { ...run, triesCannot: true })).toMatchObject({ run: 'skip' });
  });
});
