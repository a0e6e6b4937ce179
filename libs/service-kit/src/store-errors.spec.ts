import { translateScratchError, translateStoreError } from './store-errors';
import { StoreRoom } from './store-room';

const full = (code: unknown) => Object.assign(new Error('no space left'), { code });

describe('a full disk', () => {
  let refused: jest.SpyInstance;
  beforeEach(() => { refused = jest.spyOn(StoreRoom.ofProcess, 'refused').mockImplementation(() => undefined); });
  afterEach(() => refused.mockRestore());

  it.each(['ENOSPC', 'EDQUOT', '53100', 14_031])('is 507, told by %s, and keeps a service that stores there from being ready', (code) => {
    expect(translateStoreError(full(code))).toMatchObject({ status: 507, code: 'insufficient_storage' });
    expect(refused).toHaveBeenCalledTimes(1);
  });

  it('is 507 where a process works for the moment too, which it does not store to: it stays ready', () => {
    const error = translateScratchError(full('ENOSPC'));
    expect(error).toMatchObject({ status: 507, code: 'insufficient_storage' });
    expect(translateStoreError(error)).toBe(error);
    expect(refused).not.toHaveBeenCalled();
  });

  it('is not told by other faults of a file', () => {
    const error = full('EIO');
    expect(translateScratchError(error)).toBe(error);
  });
});
