import { repositoryRoot } from '../repository/repository';
import { lintReferences } from './checks';

describe('the rules of redocly', () => {
  it('are for the reference of all services too, and not for those of each alone', async () => {
    const merged = JSON.stringify({ openapi: '3.1.0', info: { title: 'All', version: '1' }, paths: {}, colour: 'red' });
    const { faults } = await lintReferences({ root: repositoryRoot(), deadline: Date.now() + 120_000 }, () => merged);
    expect(faults.filter((line) => line.includes('Property `colour` is not expected here'))).toHaveLength(1);
  }, 120_000);
});
