import { Inject, Injectable } from '@nestjs/common';
import type { RunTokenRequest, RunTokenResponse } from '@twinyard/auth';
import { invalid } from '@twinyard/conventions';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { AccessTokenSigner } from './access-token-signer';

/** `client_id` of a run that no application started. */
const RUNS = 'runs';

/**
 * Tokens by which a run acts for somebody. They belong to no session, since a run outlives the sign-in that started it; a
 * disabled user's run stops all the same.
 */
@Injectable()
export class RunTokens {
  constructor(
    private readonly signer: AccessTokenSigner,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  async issue({ userId, clientId, appId, scopes, profileId, runId }: RunTokenRequest): Promise<RunTokenResponse> {
    const subject = userId ?? clientId;
    if (subject === undefined) throw invalid('A run acts for a user or a client');
    const { token, expiresAt } = await this.signer.sign({
      subject,
      clientId: userId === undefined ? subject : (appId ?? RUNS),
      scopes,
      seconds: this.settings.RUN_TOKEN_SECONDS,
      claims: {
        run_id: runId,
        ...(userId === undefined && { principal_type: 'client' }),
        ...(profileId !== undefined && { profile_id: profileId }),
      },
    });
    return { token, expiresAt: expiresAt.getTime() };
  }
}
