import { ServiceError, unavailable } from '@twinyard/conventions';
import { type BulkWriteResult, MongoBulkWriteError, MongoNetworkError, MongoServerError } from 'mongodb';
import { isConnectionLost, isDuplicateKey, translateStoreError } from '../src';
import { isTransient } from '../src/mongo/mongo-errors';

const RESULT = {} as BulkWriteResult;
const lost = new MongoNetworkError('connection 3 to 10.0.0.1:27017 closed');
const refused = (code: number, errorLabels: string[] = []) => new MongoServerError({ message: 'refused', code, errorLabels });

describe('errors of the MongoDB driver', () => {
  it('are 503 when no server could be reached, also behind the error of a bulk write', () => {
    for (const error of [lost, new MongoBulkWriteError(lost, RESULT), refused(10_107), new MongoBulkWriteError(refused(91), RESULT)]) {
      expect(isConnectionLost(error)).toBe(true);
      expect(translateStoreError(error)).toMatchObject({ code: 'unavailable', retryAfter: 1, cause: error });
    }
  });

  it('stay what they are when the server has refused', () => {
    const duplicate = new MongoBulkWriteError(refused(11_000), RESULT);
    expect([isConnectionLost(duplicate), isDuplicateKey(duplicate), translateStoreError(duplicate)]).toEqual([false, true, duplicate]);
    // Of another library, with a number that means something else there.
    expect(isConnectionLost(Object.assign(new Error('no'), { code: 91 }))).toBe(false);
  });

  it('are 507 when its disk is full', () => {
    for (const error of [refused(14_031), new MongoBulkWriteError(refused(14_031), RESULT)]) expect(translateStoreError(error)).toMatchObject({ code: 'insufficient_storage', status: 507, cause: error });
  });

  it('tell of a lost race, whoever has wrapped them', () => {
    const raced = refused(112, ['TransientTransactionError']);
    for (const error of [raced, new MongoBulkWriteError(raced, RESULT), unavailable('gone', raced)]) expect(isTransient(error)).toBe(true);
    expect([isTransient(lost), isTransient(new ServiceError('conflict', 'taken', { cause: refused(11_000) }))]).toEqual([false, false]);
  });
});
