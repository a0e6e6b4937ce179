import { Inject, Injectable } from '@nestjs/common';
import { type InvalidationKey, RequestContext } from '@twinyard/auth';
import { formatIrn } from '@twinyard/conventions';
import type { TypeOrmTx } from '@twinyard/service-kit';
import type { AuditActor } from '../audit/audit-fact';
import { AuditLog } from '../audit/audit-log';
import { AuditPlaces } from '../audit/audit-places';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { OidcStateRepository } from '../oauth/oidc-state.repository';
import { RevocationsRepository } from './revocations.repository';

/** Who signs out on a page, and of which application. */
export interface SignOut extends AuditActor {
  readonly appId?: string | undefined;
}

/** Ends what tokens were issued from. Each call returns when no service takes such a token any more. */
@Injectable()
export class Sessions {
  /** For how long anything that was issued before an end could still be shown. */
  private readonly remembered: number;

  constructor(
    private readonly feed: GrantFeed,
    private readonly state: OidcStateRepository,
    private readonly revocations: RevocationsRepository,
    private readonly audit: AuditLog,
    private readonly places: AuditPlaces,
    @Inject(PASSPORT_SETTINGS) settings: PassportSettings,
  ) {
    this.remembered = Math.max(settings.MAX_TOKEN_SECONDS, settings.ACCESS_TOKEN_SECONDS, settings.REFRESH_TOKEN_SECONDS, settings.SESSION_SECONDS) + 60;
  }

  /** A logout: the browser's session, and every token that was issued in it. */
  async end(sessionId: string, by?: RequestContext | SignOut): Promise<void> {
    await this.feed.commit(async (tx) => {
      if (by !== undefined) await this.recordLogout(tx, by);
      await this.state.destroySession(tx, sessionId);
      await this.revocations.add(tx, 'session', sessionId, this.remembered);
      return { result: undefined, keys: [`session:${sessionId}`] };
    });
  }

  /** A revoked token, a code or refresh token that was used twice: every token of that authorization. */
  async revokeAuthorization(grantId: string, by?: RequestContext): Promise<void> {
    await this.feed.commit(async (tx) => {
      if (by !== undefined) await this.recordLogout(tx, by);
      await this.state.destroyAuthorization(tx, grantId);
      await this.revocations.add(tx, 'authorization', grantId, this.remembered);
      return { result: undefined, keys: [`oauthgrant:${grantId}`] };
    });
  }

  /**
   * Part of a change that puts a user out: the caller commits it through the grant feed, with the keys that come back. What the
   * user had stays ended also when the account is enabled again. One session may be kept, with all that was issued in it.
   */
  async endAllOf(tx: TypeOrmTx, userId: string, keptSessionId?: string): Promise<InvalidationKey[]> {
    const { sessionIds, grantIds } = await this.state.destroyUser(tx, userId, keptSessionId);
    for (const id of sessionIds) await this.revocations.add(tx, 'session', id, this.remembered);
    for (const id of grantIds) await this.revocations.add(tx, 'authorization', id, this.remembered);
    return [`user:${userId}`];
  }

  /** Somebody ends all of their own sessions. */
  async endEverywhere(by: AuditActor): Promise<void> {
    await this.feed.commit(async (tx) => {
      await this.audit.record(tx, by, { action: 'SIGN_OUT_EVERYWHERE', irn: formatIrn('passportsvc', 'user', by.id) });
      return { result: undefined, keys: await this.endAllOf(tx, by.id) };
    });
  }

  private async recordLogout(tx: TypeOrmTx, by: RequestContext | SignOut): Promise<void> {
    const { appId } = by instanceof RequestContext ? by.principal : by;
    const namespace = await this.places.ofApplication(tx, appId);
    await this.audit.record(tx, by, { action: 'SIGN_OUT', irn: formatIrn('passportsvc', 'app', appId ?? '*'), namespace });
  }
}
