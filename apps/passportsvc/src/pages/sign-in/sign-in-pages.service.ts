import { Inject, Injectable } from '@nestjs/common';
import { PASSPORT_SETTINGS, type PassportSettings } from '../../config';
import type { SignInResult } from '../../sessions/sign-in.service';
import { SignInMethods } from '../../sessions/sign-in-methods';
import { PageSlots } from '../page-slots';
import { textOf } from '../page-reply';
import type { Problems } from '../form';
import type { Texts } from '../texts';
import { consentPage } from './consent-page';
import { Interactions, type Visit } from './interactions.service';
import { bannerOf, Invited, invitedAddress } from './invited';
import { signInPage } from './sign-in-page';

/** Who is there, and what an application may do in their name. */
@Injectable()
export class SignInPages {
  constructor(
    private readonly interactions: Interactions,
    private readonly methods: SignInMethods,
    private readonly slots: PageSlots,
    private readonly invited: Invited,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  async show(visit: Visit): Promise<void> {
    if (visit.interaction.prompt.name === 'consent') return this.showConsent(visit);
    const invited = invitedAddress(await this.invited.find(visit.interaction));
    return this.showForm(visit, invited ?? textOf(visit.interaction.params['login_hint']), {});
  }

  async signIn(visit: Visit): Promise<void> {
    const { form, frame: { texts }, request, reply } = visit;
    const email = textOf(form['email']);
    if (visit.isForged) return this.showForm(visit, email, { '': texts.problems.forged }, 403);
    const result = await this.methods.authenticate('password', { body: { email, password: textOf(form['password']) }, ip: request.ip, cookies: request.headers.cookie });
    if (result.outcome === 'signed-in') {
      if (result.deviceCookie !== undefined) void reply.header('Set-Cookie', result.deviceCookie);
      return this.interactions.finish(visit, { login: { accountId: result.user.id, amr: ['pwd'] } });
    }
    if (result.outcome === 'slowed') void reply.header('Retry-After', String(result.seconds));
    else await this.interactions.refuse(visit, 'pwd');
    return this.showForm(visit, email, { '': problemOf(result, texts) }, result.outcome === 'slowed' ? 429 : 401);
  }

  async consent(visit: Visit): Promise<void> {
    if (visit.isForged) return this.showConsent(visit, 403);
    const agreed = visit.form['decision'] === 'allow';
    return this.interactions.finish(visit, agreed ? { consent: {} } : { error: 'access_denied', error_description: 'The user did not agree' });
  }

  private async showForm(visit: Visit, email: string, problems: Problems, status = 200): Promise<void> {
    const { frame, interaction, csrf, path, application } = visit;
    const { markup: alternatives, formTargets } = await this.slots.alternativesFor(interaction, frame, csrf);
    const banner = bannerOf(frame, await this.invited.find(interaction));
    const mayPerhapsSignUp = this.settings.SIGN_UP !== 'off';
    const page = signInPage({ ...frame, here: path }, { path, csrf, application, email, problems, alternatives, mayPerhapsSignUp, banner });
    return this.interactions.send(visit, page, { status, formTargets });
  }

  private async showConsent(visit: Visit, status = 200): Promise<void> {
    const { frame, interaction, csrf, path, application, user } = visit;
    const scopes = textOf(interaction.params['scope']).split(' ');
    const page = consentPage({ ...frame, here: path }, { action: `${path}/consent`, csrf, application, email: user?.email ?? '', scopes });
    return this.interactions.send(visit, page, { status });
  }
}

const problemOf = (result: Exclude<SignInResult, { outcome: 'signed-in' }>, { problems }: Texts): string =>
  result.outcome === 'slowed' ? problems.slowed(result.seconds) : problems.wrongPassword;
