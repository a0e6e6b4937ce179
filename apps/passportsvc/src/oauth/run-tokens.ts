import { Inject, Injectable } from '@nestjs/common';
import { keptScopes, type RunTokenRequest, type RunTokenResponse } from '@twinyard/auth';
import { invalid } from '@twinyard/conventions';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { AccessTokenSigner } from './access-token-signer';

/** `client_id` of a run that no application started. */
const RUNS = 'runs';

/**
 * Tokens by which a run acts for somebody. They belong to no session, since a run outlives the sign-in that started it; a
 * disabled user's run stops all the same. Each is bound to the namespaces of its run, and opens nothing else in any service.
 */
@Injectable()
export class RunTokens {
  constructor(
    private readonly signer: AccessTokenSigner,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  async issue({ userId, clientId, appId, scopes, profileId, runId, namespaces }: RunTokenRequest): Promise<RunTokenResponse> {
    const subject = userId ?? clientId;
    if (subject === undefined) throw invalid('A run acts for a user or a client');
    if (!Array.isArray(namespaces) || namespaces.length === 0) throw invalid('A run acts within namespaces');
    const { token, expiresAt } = await this.signer.sign({
      subject,
      clientId: userId === undefined ? subject : (appId ?? RUNS),
      scopes: keptScopes(scopes),
      seconds: this.settings.RUN_TOKEN_SECONDS,
      claims: {
        run_id: runId,
        run_namespaces: namespaces,
        ...(userId === undefined && { principal_type: 'client' }),
        ...(profileId !== undefined && { profile_id: profileId }),
      },
    });
    return { token, expiresAt: expiresAt.getTime() };
  }
}
