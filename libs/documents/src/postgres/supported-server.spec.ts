import { requireSupportedServer } from './supported-server';

describe('the PostgreSQL that keeps documents', () => {
  it('is 18 or newer', () => {
    expect(() => requireSupportedServer('180000')).not.toThrow();
    expect(() => requireSupportedServer('170006')).toThrow(/PostgreSQL 18 or newer.*leads to 17.*MONGO_URL/);
  });
});
