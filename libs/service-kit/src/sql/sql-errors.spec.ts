import { translateStoreError } from '../store-errors';

describe('a database that cannot be reached', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', 'ECONNABORTED', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', '57P01', '08006'])('is told by %s', (code) => {
    for (const error of [Object.assign(new Error('lost'), { code }), Object.assign(new Error('wrapped'), { driverError: { code } })]) {
      expect(translateStoreError(error)).toMatchObject({ status: 503, code: 'unavailable' });
    }
  });

  it('is not told by what it says of a statement', () => {
    const error = Object.assign(new Error('duplicate key'), { code: '23505' });
    expect(translateStoreError(error)).toBe(error);
  });
});
