import { Inject, Injectable } from '@nestjs/common';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { Interactions, type Visit } from '../pages/sign-in/interactions.service';
import { HomeRealm } from './home-realm';
import type { Resolution } from './upstream-accounts.service';
import { UpstreamAttemptsRepository } from './upstream-attempts.repository';
import type { Arrival } from './upstream-links';
import { UpstreamReplies } from './upstream-replies';

/** What is left to do for somebody who is back from an issuer. */
@Injectable()
export class UpstreamArrivals {
  constructor(
    private readonly interactions: Interactions,
    private readonly attempts: UpstreamAttemptsRepository,
    private readonly realm: HomeRealm,
    private readonly replies: UpstreamReplies,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /** Without one that belongs to this sign-in and came to something there is a page that says so. */
  async during(visit: Visit, answer: (arrival: Arrival) => Promise<void>): Promise<void> {
    const { interaction, request } = visit;
    const { attemptId } = request.params as { attemptId: string };
    const attempt = await this.attempts.find(attemptId, interaction.uid);
    const provider = attempt && (await this.realm.get(attempt.providerId));
    if (attempt === undefined || provider === undefined) return this.replies.fail(visit, 'over', '');
    const { outcome } = attempt;
    if ('fault' in outcome) return this.replies.fail(visit, outcome.fault, provider.name);
    return answer({ attemptId, provider, profile: outcome.profile, isSignUpOpen: this.settings.SIGN_UP === 'open', address: request.ip, requestId: request.id });
  }

  /** Into the application, or to the page that says why not. */
  async settle(visit: Visit, { provider }: Arrival, resolution: Exclude<Resolution, { outcome: 'ask' }>, amr: readonly string[] = ['fed']): Promise<void> {
    if (resolution.outcome === 'signed-in') return this.interactions.finish(visit, { login: { accountId: resolution.userId, amr: [...amr] } });
    await this.interactions.refuse(visit, provider.id);
    return this.replies.fail(visit, resolution.outcome === 'over' ? 'over' : resolution.reason, provider.name);
  }
}
