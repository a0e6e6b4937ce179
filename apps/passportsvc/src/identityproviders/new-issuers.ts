import { Inject, Injectable } from '@nestjs/common';
import { type RequestContext, RequestPlaces } from '@twinyard/auth';
import { invalidField } from '@twinyard/conventions';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { issueOfIssuer } from '../upstream/issuer-address';
import { UpstreamIssuers } from '../upstream/upstream-issuers';

/** Issuers that are named anew. */
@Injectable()
export class NewIssuers {
  constructor(
    private readonly issuers: UpstreamIssuers,
    private readonly places: RequestPlaces,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /** An issuer is a stranger's server, which answers when it likes: its document is waited for without a place. @throws ServiceError 400 */
  async require(ctx: RequestContext, issuer: string): Promise<void> {
    const issue = issueOfIssuer(issuer, this.settings.UPSTREAM_ALLOW_PRIVATE);
    if (issue !== undefined) throw invalidField('_issuer', issue);
    const check = await this.places.without(ctx, () => this.issuers.check(issuer));
    if (check.outcome === 'wrong') throw invalidField('_issuer', check.issue);
  }
}
