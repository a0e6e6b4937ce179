import { Inject, Injectable } from '@nestjs/common';
import { KeyCipher } from '@twinyard/envelope';
import { type TypeOrmTx, TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { importJWK, type JWK, type JWTVerifyGetKey, errors } from 'jose';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { clientSecretKey, newSigningKeys } from './new-keys';
import type { SigningKeyEntity } from './signing-key.entity';
import { SigningKeysRepository } from './signing-keys.repository';

/** Twice what a replica may take to hear of a new key; what the other services have of the published keys is asked for anew by then. */
const PUBLISHED_BEFORE_MS = 60_000;
const RELOAD_COOLDOWN_MS = 5_000;

export interface KeySet {
  /** Private JWKs, the one that signs now first. */
  readonly tokenKeys: readonly JWK[];
  /** The one that signs now first. */
  readonly cookieKeys: readonly string[];
}

export type KeySettings = Pick<PassportSettings, 'KEY_ENCRYPTION_KEY' | 'KEY_ENCRYPTION_KEY_PREVIOUS' | 'MAX_TOKEN_SECONDS' | 'ACCESS_TOKEN_SECONDS' | 'CLIENT_TOKEN_SECONDS' | 'RUN_TOKEN_SECONDS' | 'SESSION_SECONDS'>;

/** Told, in its own transaction, of what an operator has done to keys. */
export type KeysTold = (tx: TypeOrmTx, action: 'ROTATE_KEY' | 'REMOVE_KEY' | 'RESEAL_KEY', ids: readonly string[]) => Promise<void>;

const namesOf = ({ tokenKeys, cookieKeys }: KeySet) => [...tokenKeys.map(({ kid }) => kid), ...cookieKeys].join(' ');

/** The keys that sign tokens and cookies: in the database, so that every replica has them, encrypted at rest. */
@Injectable()
export class SigningKeys {
  private readonly cipher: KeyCipher;
  private current: KeySet = { tokenKeys: [], cookieKeys: [] };
  private hashKey: Buffer | undefined;
  private loadedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly repository: SigningKeysRepository,
    @Inject(PASSPORT_SETTINGS) private readonly settings: KeySettings,
    private readonly told: KeysTold = async () => undefined,
  ) {
    this.cipher = new KeyCipher(settings.KEY_ENCRYPTION_KEY, settings.KEY_ENCRYPTION_KEY_PREVIOUS);
  }

  get keys(): KeySet {
    return this.current;
  }

  /** What secrets of clients are hashed under. It never changes: hashes cannot be made anew. */
  get clientSecretKey(): Buffer {
    if (this.hashKey === undefined) throw new Error('The keys have not been loaded');
    return this.hashKey;
  }

  /** Loads the keys; makes the first ones. */
  async start(): Promise<void> {
    const first = await newSigningKeys(this.cipher, new Date());
    await this.unitOfWork.run(async (tx) => {
      await this.repository.lock(tx);
      const known = await this.repository.read(tx);
      if (known.length === 0) for (const key of first) await this.repository.insert(tx, key);
      if (!known.some(({ purpose }) => purpose === 'client-secret')) await this.repository.insert(tx, clientSecretKey(this.cipher, known[0] ?? (first[0] as SigningKeyEntity)));
    });
    await this.reload();
  }

  /** New keys, which sign a minute from now; old ones verify until the last token of theirs has ended. */
  async rotate(now = new Date()): Promise<void> {
    const next = await newSigningKeys(this.cipher, new Date(now.getTime() + PUBLISHED_BEFORE_MS));
    await this.unitOfWork.run(async (tx) => {
      for (const key of next) await this.repository.insert(tx, key);
      await this.told(tx, 'ROTATE_KEY', next.map(({ id }) => id));
    });
    await this.sweep(now);
  }

  /** Removes keys of which no token and no cookie is left, and takes over what another replica or an operator has changed. */
  async sweep(now = new Date()): Promise<void> {
    const { MAX_TOKEN_SECONDS, ACCESS_TOKEN_SECONDS, CLIENT_TOKEN_SECONDS, RUN_TOKEN_SECONDS, SESSION_SECONDS } = this.settings;
    const longest = { token: Math.max(MAX_TOKEN_SECONDS, ACCESS_TOKEN_SECONDS, CLIENT_TOKEN_SECONDS, RUN_TOKEN_SECONDS), cookie: SESSION_SECONDS };
    await this.unitOfWork.run(async (tx) => {
      for (const purpose of ['token', 'cookie'] as const) await this.repository.removeReplaced(tx, purpose, new Date(now.getTime() - longest[purpose] * 1_000));
    });
    await this.reload(now);
  }

  /** Removes a key at once, with all that it has signed. False for the one that signs now, and for what is none. */
  remove(id: string, now = new Date()): Promise<boolean> {
    return this.unitOfWork.run(async (tx) => {
      const isRemoved = await this.repository.removeUnlessSigning(tx, id, now);
      if (isRemoved) await this.told(tx, 'REMOVE_KEY', [id]);
      return isRemoved;
    });
  }

  /** Seals what another key has sealed under the one that seals now; the number of rows. All or none. */
  reseal(): Promise<number> {
    return this.unitOfWork.run(async (tx: TypeOrmTx) => {
      await this.repository.lock(tx);
      const stale = (await this.repository.read(tx)).filter(({ sealed, id }) => !this.cipher.isCurrent(sealed, id));
      for (const { sealed, id } of stale) await this.repository.replaceSealed(tx, id, this.cipher.seal(this.cipher.open(sealed, id), id));
      await this.told(tx, 'RESEAL_KEY', stale.map(({ id }) => id));
      return stale.length;
    });
  }

  async reload(now = new Date()): Promise<void> {
    const rows = await this.repository.list();
    const ordered = [...rows.filter(({ signsFrom }) => signsFrom <= now), ...rows.filter(({ signsFrom }) => signsFrom > now)];
    const opened = ordered.map((row) => ({ purpose: row.purpose, text: this.cipher.open(row.sealed, row.id) }));
    const textsOf = (wanted: SigningKeyEntity['purpose']) => opened.filter(({ purpose }) => purpose === wanted).map(({ text }) => text);
    const loaded: KeySet = { tokenKeys: textsOf('token').map((text) => JSON.parse(text) as JWK), cookieKeys: textsOf('cookie') };
    const [hashKey] = textsOf('client-secret');
    if (hashKey !== undefined) this.hashKey = Buffer.from(hashKey, 'base64');
    this.loadedAt = performance.now();
    // Who holds the set can tell by its identity whether anything changed.
    if (namesOf(loaded) !== namesOf(this.current)) this.current = loaded;
  }

  /** Finds the public key that a token names. An unknown name may be a key that another replica made: it is looked for once in a while. */
  readonly verificationKey: JWTVerifyGetKey = async ({ kid }) => {
    if (this.tokenKey(kid) === undefined && performance.now() - this.loadedAt > RELOAD_COOLDOWN_MS) await this.reload();
    const key = this.tokenKey(kid);
    if (key === undefined) throw new errors.JWKSNoMatchingKey();
    const { kty, crv, x, y } = key;
    return importJWK({ kty, crv, x, y } as JWK, 'ES256');
  };

  private tokenKey(kid: string | undefined): JWK | undefined {
    return this.current.tokenKeys.find((key) => key.kid === kid);
  }
}
