import { randomBytes } from 'node:crypto';
import { remoteKeys, TokenVerifier } from '@twinyard/auth';
import { createDataSource, createService, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { freePort } from '@twinyard/testing';
import { decodeProtectedHeader } from 'jose';
import type { DataSource } from 'typeorm';
import type { PassportSettings } from '../src/config';
import { service } from '../src/service';
import { runKeysCommand } from '../src/signing-keys/keys-command';
import { SigningKeyEntity } from '../src/signing-keys/signing-key.entity';
import { SigningKeysRepository } from '../src/signing-keys/signing-keys.repository';
import { SigningKeys } from '../src/signing-keys/signing-keys.service';
import { BOOTSTRAP_CLIENT, holdSweeps, type PassportApp, startPassport } from './passport-app';
import { exchange, tokensOf } from './sign-in';

const API = '/passportsvc/api/v1';
const kidOf = (token: string) => decodeProtectedHeader(token).kid;
const newKey = () => randomBytes(32).toString('base64');

describe('the keys of passportsvc', () => {
  let passport: PassportApp;
  let dataSource: DataSource;
  const running: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    passport = await startPassport();
    await holdSweeps(passport.app);
    dataSource = await createDataSource({ url: passport.database.url, entities: [SigningKeyEntity], migrations: [] }).initialize();
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((app) => app.close()));
    await dataSource?.destroy();
    await passport?.stop();
  });

  const replica = async (overrides: Partial<PassportSettings> = {}) => {
    const port = await freePort();
    const app = await createService(service, { ...passport.settings, PORT: port, ...overrides });
    running.push(app);
    await app.listen(port, '127.0.0.1');
    await holdSweeps(app);
    return { app, url: `http://127.0.0.1:${port}` };
  };
  /** An operator's command: a process of its own. */
  const command = async (args: readonly string[], settings: Partial<PassportSettings> = {}, repository = new SigningKeysRepository(dataSource)) => {
    const lines: string[] = [];
    const keys = new SigningKeys(new TypeOrmUnitOfWork(dataSource), repository, { ...passport.settings, ...settings });
    return { code: await runKeysCommand(args, keys, repository, (line) => lines.push(line)), lines };
  };
  const published = async (url: string) => ((await (await fetch(`${url}${API}/oauth/jwks`)).json()) as { keys: { kid: string; d?: string }[] }).keys;
  const me = async (url: string, token: string) => (await fetch(`${url}${API}/users/me`, { headers: { authorization: `Bearer ${token}` } })).status;
  const clientToken = async (url: string) =>
    (await exchange(url, { grant_type: 'client_credentials', client_id: BOOTSTRAP_CLIENT.id, client_secret: BOOTSTRAP_CLIENT.secret }, `${API}/oauth/token`)).status;

  it('are rotated by a command: every replica publishes both, verifiers take the tokens of both, and the old one goes when its last token has ended', async () => {
    const other = await replica();
    const { access_token: old } = await tokensOf(passport.baseUrl);
    expect((await command(['rotate'])).code).toBe(0);
    const soon = new Date(Date.now() + 61_000);
    for (const { app, url } of [{ app: passport.app, url: passport.baseUrl }, other]) {
      await app.get(SigningKeys).sweep();
      expect((await published(url)).map(({ d }) => d)).toEqual([undefined, undefined]);
      expect((await published(url))[0]?.kid).toBe(kidOf(old));
    }
    const verifier = new TokenVerifier({ baseUrl: passport.baseUrl, keys: remoteKeys(other.url) });
    await expect(verifier.verify(old)).resolves.toMatchObject({ type: 'user' });
    for (const app of [passport.app, other.app]) await app.get(SigningKeys).sweep(soon);
    const { access_token: young } = await tokensOf(passport.baseUrl);
    expect(kidOf(young)).not.toBe(kidOf(old));
    await expect(verifier.verify(young)).resolves.toMatchObject({ type: 'user' });
    expect([await me(other.url, old), await me(other.url, young)]).toEqual([200, 200]);

    const { MAX_TOKEN_SECONDS, SESSION_SECONDS } = passport.settings;
    await passport.app.get(SigningKeys).sweep(new Date(soon.getTime() + (MAX_TOKEN_SECONDS - 60) * 1_000));
    expect(await published(passport.baseUrl)).toHaveLength(2);
    await passport.app.get(SigningKeys).sweep(new Date(soon.getTime() + MAX_TOKEN_SECONDS * 1_000));
    expect((await published(passport.baseUrl)).map(({ kid }) => kid)).toEqual([kidOf(young)]);
    expect(passport.app.get(SigningKeys).keys.cookieKeys).toHaveLength(2);
    await passport.app.get(SigningKeys).sweep(new Date(soon.getTime() + SESSION_SECONDS * 1_000));
    expect(passport.app.get(SigningKeys).keys.cookieKeys).toHaveLength(1);
  });

  it('can be removed at once, but for the one that signs', async () => {
    const { access_token: old } = await tokensOf(passport.baseUrl);
    const [signing = ''] = [kidOf(old)];
    expect((await command(['remove', signing])).code).toBe(2);
    await command(['rotate']);
    expect((await command(['remove', signing])).code).toBe(2);
    await dataSource.query(`UPDATE signing_key SET signs_from = signs_from - interval '2 minutes'`);
    expect(await command(['remove', signing])).toMatchObject({ code: 0 });
    await passport.app.get(SigningKeys).sweep();
    expect(await me(passport.baseUrl, old)).toBe(401);
    const { lines } = await command(['list']);
    expect(lines.map((line) => (JSON.parse(line) as { purpose: string }).purpose).sort()).toEqual(['cookie', 'cookie', 'token']);
    expect(lines.join()).not.toContain('sealed');
    expect((await command(['remove'])).code + (await command([])).code).toBe(4);
  });

  it('move to another KEY_ENCRYPTION_KEY while the service runs, with the secrets of clients', async () => {
    const { access_token: token } = await tokensOf(passport.baseUrl);
    const [KEY_ENCRYPTION_KEY, old] = [newKey(), passport.settings.KEY_ENCRYPTION_KEY];
    await expect(command(['reseal'], { KEY_ENCRYPTION_KEY })).rejects.toThrow('KEY_ENCRYPTION_KEY does not open');
    const both = await replica({ KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS: old });
    expect([await me(both.url, token), await clientToken(both.url)]).toEqual([200, 200]);

    const change = { KEY_ENCRYPTION_KEY, KEY_ENCRYPTION_KEY_PREVIOUS: old };
    expect((await command(['reseal'], change)).lines).toEqual(['3 rows encrypted anew']);
    expect((await command(['reseal'], change)).lines).toEqual(['0 rows encrypted anew']);
    await both.app.get(SigningKeys).reload();
    const after = await replica({ KEY_ENCRYPTION_KEY });
    expect([await me(after.url, token), await clientToken(after.url), await clientToken(both.url)]).toEqual([200, 200, 200]);
    await expect(passport.app.get(SigningKeys).reload()).rejects.toThrow('KEY_ENCRYPTION_KEY does not open');
  });

  it('are as they were when encrypting them anew stops half way', async () => {
    const before = await dataSource.query<unknown[]>('SELECT id, sealed FROM signing_key ORDER BY id');
    class StopsHalfWay extends SigningKeysRepository {
      private written = 0;
      override async replaceSealed(...args: Parameters<SigningKeysRepository['replaceSealed']>): Promise<void> {
        if ((this.written += 1) === 2) throw new Error('stopped');
        await super.replaceSealed(...args);
      }
    }
    const change = { KEY_ENCRYPTION_KEY: newKey(), KEY_ENCRYPTION_KEY_PREVIOUS: passport.settings.KEY_ENCRYPTION_KEY };
    await expect(command(['reseal'], change, new StopsHalfWay(dataSource))).rejects.toThrow('stopped');
    expect(await dataSource.query('SELECT id, sealed FROM signing_key ORDER BY id')).toEqual(before);
  });

  it('match the secrets of clients that were hashed before the key for it was kept', async () => {
    await dataSource.query(`DELETE FROM signing_key WHERE purpose = 'client-secret'`);
    const upgraded = await replica({ KEY_ENCRYPTION_KEY: newKey(), KEY_ENCRYPTION_KEY_PREVIOUS: passport.settings.KEY_ENCRYPTION_KEY });
    expect(await clientToken(upgraded.url)).toBe(200);
  });
});
