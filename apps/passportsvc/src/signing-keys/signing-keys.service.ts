import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { TypeOrmUnitOfWork } from '@twinyard/service-kit';
import { calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK, type JWTVerifyGetKey, errors } from 'jose';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { KeyCipher } from './key-cipher';
import type { SigningKeyEntity } from './signing-key.entity';
import { SigningKeysRepository } from './signing-keys.repository';

/** Longer than the other services keep the published keys from being asked for anew. */
const PUBLISHED_BEFORE_MS = 60_000;
const RELOAD_COOLDOWN_MS = 5_000;

export interface KeySet {
  /** Private JWKs, the one that signs now first. */
  readonly tokenKeys: readonly JWK[];
  /** The one that signs now first. */
  readonly cookieKeys: readonly string[];
}

const namesOf = ({ tokenKeys, cookieKeys }: KeySet) => [...tokenKeys.map(({ kid }) => kid), ...cookieKeys].join(' ');

/** The keys that sign tokens and cookies: in the database, so that every replica has them, encrypted at rest. */
@Injectable()
export class SigningKeys {
  private readonly cipher: KeyCipher;
  private current: KeySet = { tokenKeys: [], cookieKeys: [] };
  private loadedAt = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly unitOfWork: TypeOrmUnitOfWork,
    private readonly repository: SigningKeysRepository,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {
    this.cipher = new KeyCipher(settings.KEY_ENCRYPTION_KEY);
  }

  get keys(): KeySet {
    return this.current;
  }

  /** Loads the keys; makes the first ones. */
  async start(): Promise<void> {
    const first = await this.newKeys(new Date());
    await this.unitOfWork.run(async (tx) => {
      await this.repository.lockFirstStart(tx);
      if (!(await this.repository.isEmpty(tx))) return;
      for (const key of first) await this.repository.insert(tx, key);
    });
    await this.reload();
  }

  /** New keys, which sign a minute from now; old ones verify until the last token of theirs has ended. */
  async rotate(now = new Date()): Promise<void> {
    const next = await this.newKeys(new Date(now.getTime() + PUBLISHED_BEFORE_MS));
    const longest = Math.max(this.settings.MAX_TOKEN_SECONDS, this.settings.ACCESS_TOKEN_SECONDS, this.settings.SESSION_SECONDS);
    await this.unitOfWork.run(async (tx) => {
      for (const key of next) await this.repository.insert(tx, key);
      await this.repository.deleteSignedUntil(tx, new Date(now.getTime() - longest * 1_000));
    });
    await this.reload();
  }

  async reload(now = new Date()): Promise<void> {
    const rows = await this.repository.list();
    const ordered = [...rows.filter(({ signsFrom }) => signsFrom <= now), ...rows.filter(({ signsFrom }) => signsFrom > now)];
    const opened = ordered.map((row) => ({ purpose: row.purpose, text: this.cipher.open(row.sealed, row.id) }));
    const loaded: KeySet = {
      tokenKeys: opened.filter(({ purpose }) => purpose === 'token').map(({ text }) => JSON.parse(text) as JWK),
      cookieKeys: opened.filter(({ purpose }) => purpose === 'cookie').map(({ text }) => text),
    };
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

  private async newKeys(signsFrom: Date): Promise<SigningKeyEntity[]> {
    const { privateKey } = await generateKeyPair('ES256', { extractable: true });
    const jwk = await exportJWK(privateKey);
    const kid = await calculateJwkThumbprint(jwk);
    const cookieId = randomBytes(16).toString('base64url');
    const times = { signsFrom, createdAt: new Date() };
    return [
      { id: kid, purpose: 'token', sealed: this.cipher.seal(JSON.stringify({ ...jwk, kid, alg: 'ES256', use: 'sig' }), kid), ...times },
      { id: cookieId, purpose: 'cookie', sealed: this.cipher.seal(randomBytes(32).toString('base64url'), cookieId), ...times },
    ];
  }
}
