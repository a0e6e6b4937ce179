import { Inject, Injectable } from '@nestjs/common';
import { ACTION_SCOPES, deriveScopes, type InvalidationKey, type KeepAnswer, keptScopes, type RequestContext } from '@twinyard/auth';
import { CONSOLE_APP_ID, formatIrn, isUuid, limitExceeded, newUuid, notFound, type Paging, type Principal, type Slice } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { AuditActor, AuditFact } from '../audit/audit-fact';
import { AuditLog } from '../audit/audit-log';
import { ClientSecrets } from '../clients/client-secrets';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { RevocationsRepository } from '../sessions/revocations.repository';
import { belongsToNoUser } from '../users/no-user';
import { type AccessKey, AccessKeysRepository, type NewAccessKey } from './access-keys.repository';

export const MAX_KEYS = 50;
export const KEY_NAME_LENGTH = 255;

export interface AccessKeyDraft {
  readonly name: string;
  readonly expiresAt: Date | null;
  /** Absent: all that the maker's token can pass on. */
  readonly scopes?: readonly string[];
}

/** The secret is told this once. */
export interface MadeAccessKey {
  readonly key: AccessKey;
  readonly secret: string;
}

/** Whom a key stands for, and what its tokens are held to. */
export interface ProvenAccessKey {
  readonly principal: Principal;
  readonly appId: string | null;
  readonly expiresAt: Date | null;
}

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

  create(ctx: RequestContext, { scopes, ...draft }: AccessKeyDraft, keep?: KeepAnswer<MadeAccessKey>): Promise<MadeAccessKey> {
    return this.make({ ...draft, userId: userOf(ctx), appId: ctx.principal.appId ?? null, scopes: deriveScopes(ctx.principal, 'accessKey', scopes) }, ctx, keep);
  }

  /** By somebody who is signed in to the platform itself, and may do all that a token of theirs could: it opens every application, as the console's do. */
  createOf(userId: string, { scopes, ...draft }: AccessKeyDraft, by: AuditActor): Promise<MadeAccessKey> {
    return this.make({ ...draft, userId, appId: CONSOLE_APP_ID, scopes: deriveScopes({ scopes: ACTION_SCOPES }, 'accessKey', scopes) }, by);
  }

  list(ctx: RequestContext, paging: Paging): Promise<Slice<AccessKey>> {
    return this.keys.list(userOf(ctx), paging);
  }

  remove(ctx: RequestContext, id: string, keep?: KeepAnswer<void>): Promise<void> {
    return this.removeOf(userOf(ctx), id, ctx, keep);
  }

  private async make(draft: Omit<NewAccessKey, 'id' | 'secretHash' | 'createdAt'>, by: RequestContext | AuditActor, keep?: KeepAnswer<MadeAccessKey>): Promise<MadeAccessKey> {
    const secret = this.secrets.generate();
    const key: NewAccessKey = { ...draft, id: newUuid(), secretHash: this.secrets.hash(secret), createdAt: new Date() };
    return this.feed.commit(async (tx) => {
      if (!(await this.keys.insert(tx, key, MAX_KEYS))) throw limitExceeded(`A user has at most ${MAX_KEYS} access keys`);
      await this.audit.record(tx, by, factOf('CREATE', key.id));
      return { result: { key, secret }, keys: [] };
    }, keep);
  }

  /** All of somebody's, of which there are few. */
  async listOf(userId: string): Promise<readonly AccessKey[]> {
    return (await this.keys.list(userId, { offset: 0, pageSize: MAX_KEYS })).rows;
  }

  async removeOf(userId: string, id: string, by: RequestContext | AuditActor, keep?: KeepAnswer<void>): Promise<void> {
    await this.feed.commit(async (tx) => {
      if (!isUuid(id) || !(await this.keys.remove(tx, userId, id))) throw notFound('access key', id);
      await this.revocations.add(tx, 'authorization', id, this.settings.MAX_TOKEN_SECONDS);
      await this.audit.record(tx, by, factOf('DELETE', id));
      return { result: undefined, keys: [`oauthgrant:${id}`] };
    }, keep);
  }

  /** Part of a change that the caller commits through the grant feed, with the keys that come back. */
  async removeAllOf(tx: TypeOrmTx, userId: string): Promise<InvalidationKey[]> {
    const ids = await this.keys.removeAll(tx, userId);
    for (const id of ids) await this.revocations.add(tx, 'authorization', id, this.settings.MAX_TOKEN_SECONDS);
    return ids.map((id) => `oauthgrant:${id}`);
  }

  /** When the tokens of a key end at the latest; `undefined` for a key that is no more. */
  async endOf(id: string): Promise<{ readonly expiresAt: Date | null } | undefined> {
    return this.keys.find(id);
  }

  /** `undefined` for a key that is unknown, wrong or over. Tokens from it belong to it as to an authorization. */
  async authenticate(id: string, secret: string): Promise<ProvenAccessKey | undefined> {
    const key = await this.keys.find(id);
    if (key === undefined || !this.secrets.matches(secret, key.secretHash)) return undefined;
    const { userId, appId, expiresAt, scopes } = key;
    if (expiresAt !== null && expiresAt <= new Date()) return undefined;
    return { principal: { type: 'user', id: userId, oauthGrantId: id, accessKeyId: id, tokenId: '', scopes: keptScopes(scopes) }, appId, expiresAt };
  }
}

/** A key lies in no namespace: the platform's own log tells of it. */
const factOf = (action: 'CREATE' | 'DELETE', id: string): AuditFact => ({ action, irn: formatIrn('passportsvc', 'accesskey', id) });

function userOf({ principal }: RequestContext): string {
  if (principal.type !== 'user') throw belongsToNoUser();
  return principal.id;
}
