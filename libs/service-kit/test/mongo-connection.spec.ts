import { MongoConnection } from '../src';
import { OddMongoServer } from './odd-mongo-server';

const HELLO = { isWritablePrimary: true, ismaster: true, helloOk: true, maxWireVersion: 21, minWireVersion: 0, maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000, logicalSessionTimeoutMinutes: 30 };
const REPLICA_SET = { ...HELLO, setName: 'rs', hosts: ['a:1'], secondary: false };

describe('a connection to MongoDB', () => {
  const withServer = async <T>(answers: Readonly<Record<string, Readonly<Record<string, unknown>>>>, use: (connection: MongoConnection) => Promise<T> | T): Promise<T> => {
    const server = await OddMongoServer.start({ ping: {}, endSessions: {}, ...answers });
    const connection = await MongoConnection.open({ url: server.url, allowStandalone: true });
    try {
      return await use(connection);
    } finally {
      await connection.close();
      await server.stop();
    }
  };

  it.each([
    ['no time', {}], ['null', { localTime: null }], ['a text', { localTime: '2026-01-01T00:00:00Z' }], ['a number', { localTime: 1_700_000_000 }],
  ])('takes its own clock where the server says %s', async (_case, odd) => {
    await withServer({ hello: { ...HELLO, ...odd } }, (connection) => {
      expect(Math.abs(connection.now().getTime() - Date.now())).toBeLessThan(1_000);
    });
  });

  it('takes the clock of a server that tells its time', async () => {
    await withServer({ hello: { ...HELLO, localTime: new Date(Date.now() + 3_600_000) } }, (connection) => {
      expect(connection.now().getTime() - Date.now()).toBeGreaterThan(3_500_000);
    });
  });

  it.each([
    ['15 seconds', { getParameter: { transactionLifetimeLimitSeconds: 15 } }, 27_500],
    ['the usual minute', { getParameter: { transactionLifetimeLimitSeconds: 60 } }, 95_000],
    ['nothing, or not to us', {}, 95_000],
    ['a second', { getParameter: { transactionLifetimeLimitSeconds: 1 } }, 20_000],
  ])('tries again for longer than a dead process can hold documents: the server ends its transactions after %s', async (_case, parameter, ms) => {
    await withServer({ hello: REPLICA_SET, ...parameter }, (connection) => expect(connection.retryForMs).toBe(ms));
  });

  it('asks a server without transactions for no such time', async () => {
    await withServer({ hello: HELLO }, (connection) => expect(connection.retryForMs).toBe(20_000));
  });
});
