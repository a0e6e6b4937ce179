import { Inject, Injectable } from '@nestjs/common';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { redirectTo, textOf } from '../pages/page-reply';
import { Interactions, type Visit } from '../pages/sign-in/interactions.service';
import { HomeRealm } from './home-realm';
import { UpstreamReplies } from './upstream-replies';
import { faultOf } from './upstream-fault';
import { leavingPage } from './upstream-page';
import { UpstreamSignIn } from './upstream-sign-in.service';
import { browserCookie, browserOf, newBrowser } from './upstream-state';

const MAX_HINT = 254;

/** From the sign-in page to an organization's issuer. */
@Injectable()
export class UpstreamDepartures {
  constructor(
    private readonly interactions: Interactions,
    private readonly realm: HomeRealm,
    private readonly signIn: UpstreamSignIn,
    private readonly replies: UpstreamReplies,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /** By an address: its domain says where to. What is answered is the same for every address of a domain. */
  async byAddress(visit: Visit): Promise<void> {
    const email = textOf(visit.form['address']).trim().slice(0, MAX_HINT);
    const provider = visit.isForged ? undefined : await this.realm.ofAddress(email);
    if (provider === undefined) return this.replies.fail(visit, 'no-such-domain', '');
    visit.interaction.params['login_hint'] = email;
    await visit.interaction.persist();
    return this.interactions.send(visit, leavingPage(this.replies.viewOf(visit), provider));
  }

  async leave(visit: Visit): Promise<void> {
    const { interaction, request, reply } = visit;
    const { providerId } = request.params as { providerId: string };
    const provider = await this.realm.find(textOf(interaction.params['client_id']), providerId);
    if (provider === undefined) return this.replies.fail(visit, 'unknown-provider', '');
    const browser = browserOf(request.headers.cookie) ?? newBrowser();
    try {
      const target = await this.signIn.depart(provider, { interactionUid: interaction.uid, browser, hints: hintsOf(visit) });
      void reply.header('Set-Cookie', browserCookie(browser, this.settings.BASE_URL.startsWith('https:')));
      return await redirectTo(reply, target.href);
    } catch (error) {
      return this.replies.fail(visit, faultOf(error).fault, provider.name);
    }
  }
}

/** What the application asked for holds at the issuer too: a fresh sign-in there, and its language. */
function hintsOf({ interaction: { params, prompt }, frame }: Visit): Record<string, string> {
  const hint = textOf(params['login_hint']);
  const isFresh = textOf(params['prompt']).split(' ').includes('login') || prompt.reasons.includes('max_age');
  return { ...(hint !== '' && { login_hint: hint }), ui_locales: frame.language, ...(isFresh && { prompt: 'login' }) };
}
