import { Inject, Injectable } from '@nestjs/common';
import type { InvalidationKey, RequestContext } from '@twinyard/auth';
import { forbidden, formatIrn, isUuid, limitExceeded, newUuid, notFound, type Paging, type Principal, type Slice } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { AuditActor, AuditFact } from '../audit/audit-fact';
import { AuditLog } from '../audit/audit-log';
import { ClientSecrets } from '../clients/client-secrets';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { RevocationsRepository } from '../sessions/revocations.repository';
import { type AccessKey, AccessKeysRepository } from './access-keys.repository';

const MAX_KEYS = 50;

/** Keys by which scripts get tokens as a user (contract 1.2). A deleted key takes the tokens with it that it was shown for. */
@Injectable()
export class AccessKeys {
  constructor(
    private readonly keys: AccessKeysRepository,
    private readonly secrets: ClientSecrets,
    private readonly revocations: RevocationsRepository,
    private readonly feed: GrantFeed,
    private readonly audit: AuditLog,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /** The secret is told this once. */
  async create(ctx: RequestContext, name: string, expiresAt: Date | null): Promise<{ readonly key: AccessKey; readonly secret: string }> {
    const secret = this.secrets.generate();
    const key: AccessKey = { id: newUuid(), userId: userOf(ctx), name, secretHash: this.secrets.hash(secret), expiresAt, createdAt: new Date() };
    await this.feed.commit(async (tx) => {
      if (!(await this.keys.insert(tx, key, MAX_KEYS))) throw limitExceeded(`A user has at most ${MAX_KEYS} access keys`);
      await this.audit.record(tx, ctx, factOf('CREATE', key.id));
      return { result: undefined, keys: [] };
    });
    return { key, secret };
  }

  list(ctx: RequestContext, paging: Paging): Promise<Slice<AccessKey>> {
    return this.keys.list(userOf(ctx), paging);
  }

  remove(ctx: RequestContext, id: string): Promise<void> {
    return this.removeOf(userOf(ctx), id, ctx);
  }

  /** All of somebody's, of which there are few. */
  async listOf(userId: string): Promise<readonly AccessKey[]> {
    return (await this.keys.list(userId, { offset: 0, pageSize: MAX_KEYS })).rows;
  }

  async removeOf(userId: string, id: string, by: RequestContext | AuditActor): Promise<void> {
    await this.feed.commit(async (tx) => {
      if (!isUuid(id) || !(await this.keys.remove(tx, userId, id))) throw notFound('access key', id);
      await this.revocations.add(tx, 'authorization', id, this.settings.MAX_TOKEN_SECONDS);
      await this.audit.record(tx, by, factOf('DELETE', id));
      return { result: undefined, keys: [`oauthgrant:${id}`] };
    });
  }

  /** Part of a change that the caller commits through the grant feed, with the keys that come back. */
  async removeAllOf(tx: TypeOrmTx, userId: string): Promise<InvalidationKey[]> {
    const ids = await this.keys.removeAll(tx, userId);
    for (const id of ids) await this.revocations.add(tx, 'authorization', id, this.settings.MAX_TOKEN_SECONDS);
    return ids.map((id) => `oauthgrant:${id}`);
  }

  /** Whom a key stands for; `undefined` for a key that is unknown, wrong or over. Tokens from it belong to it as to an authorization. */
  async authenticate(id: string, secret: string): Promise<Principal | undefined> {
    const key = await this.keys.find(id);
    if (key === undefined || !this.secrets.matches(secret, key.secretHash)) return undefined;
    if (key.expiresAt !== null && key.expiresAt <= new Date()) return undefined;
    return { type: 'user', id: key.userId, oauthGrantId: key.id, tokenId: '', scopes: ['read', 'write'] };
  }
}

/** A key lies in no namespace: the platform's own log tells of it. */
const factOf = (action: 'CREATE' | 'DELETE', id: string): AuditFact => ({ action, irn: formatIrn('passportsvc', 'accesskey', id) });

function userOf({ principal }: RequestContext): string {
  if (principal.type !== 'user') throw forbidden('This token belongs to no user');
  // A token of a run, or one that came of a key, must not outlive it by making another.
  if (principal.profileId !== undefined) throw forbidden('A run has no access keys');
  return principal.id;
}
