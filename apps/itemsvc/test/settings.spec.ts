import { loadSettings } from '@twinyard/service-kit';
import { itemSettings } from '../src/config';

const GIVEN = { BASE_URL: 'http://twinyard.test', PASSPORT_URL: 'http://passport.test', SERVICE_TOKEN: 'service-token-of-the-tests', KEY_ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64'), EVENTS_DATABASE_URL: 'postgres://one/events' };

describe('where items are kept', () => {
  const load = (given: Record<string, string>) => loadSettings(itemSettings, { ...GIVEN, ...given });

  it('is one database, named by its setting', () => {
    expect(load({ DATABASE_URL: 'postgres://one/items' })).toMatchObject({ DATABASE_URL: 'postgres://one/items', MONGO_ALLOW_STANDALONE: false });
    expect(load({ MONGO_URL: 'mongodb://user:word@one,two/items?replicaSet=rs0', MONGO_ALLOW_STANDALONE: 'true' })).toMatchObject({ MONGO_ALLOW_STANDALONE: true });
    expect(() => load({})).toThrow('DATABASE_URL and MONGO_URL: one of them must be given');
    expect(() => load({ DATABASE_URL: 'postgres://one/items', MONGO_URL: 'mongodb://one/items' })).toThrow('DATABASE_URL and MONGO_URL: only one of them may be given');
  });

  it('is a database of MongoDB by name, and never one by accident', () => {
    for (const url of ['mongodb://one', 'mongodb://one/', 'mongodb://one/?replicaSet=rs0', 'postgres://one/items']) {
      expect(() => load({ MONGO_URL: url })).toThrow('MONGO_URL: must be mongodb://…/<database>');
    }
  });
});
