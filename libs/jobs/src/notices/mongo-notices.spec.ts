import { createLogger, type MongoConnection } from '@twinyard/service-kit';
import { eventually } from '@twinyard/testing';
import { MongoNotices } from './mongo-notices';

it('ends while it waits to listen again', async () => {
  const watch = jest.fn(() => {
    throw new Error('away');
  });
  const connection = { hasTransactions: true, db: { collection: () => ({ watch }) } } as unknown as MongoConnection;
  const notices = new MongoNotices(connection, createLogger('test', 'silent'));
  notices.start(() => undefined);
  await eventually(() => expect(watch).toHaveBeenCalled());
  await notices.stop();
  const asked = watch.mock.calls.length;
  notices.enqueued('test.note');
  expect(watch).toHaveBeenCalledTimes(asked);
});
