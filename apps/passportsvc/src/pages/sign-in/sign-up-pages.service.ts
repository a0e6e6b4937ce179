import { Inject, Injectable } from '@nestjs/common';
import { ServiceError } from '@twinyard/conventions';
import { PASSWORD_POLICY } from '../../accounts/passwords';
import { newAccountIn, signUpProblems } from '../../accounts/sign-up-form';
import { SignUps } from '../../accounts/sign-ups.service';
import { PASSPORT_SETTINGS, type PassportSettings } from '../../config';
import { toEmail, UsersRepository } from '../../users/users.repository';
import { Csrf } from '../csrf';
import { errorPage } from '../error-page';
import type { Problems } from '../form';
import { frameIn } from '../frame';
import type { NewAccount } from '../new-account-fields';
import { textOf } from '../page-reply';
import { Interactions, type Visit } from './interactions.service';
import { bannerOf, Invited, invitedAddress } from './invited';
import { signUpPage, waitingPage } from './sign-up-page';

const EMPTY: NewAccount = { email: '', firstname: '', lastname: '' };

/** New accounts on the way of a sign-in. Nobody learns from these pages whether there is an account. */
@Injectable()
export class SignUpPages {
  constructor(
    private readonly interactions: Interactions,
    private readonly signUps: SignUps,
    private readonly users: UsersRepository,
    private readonly invited: Invited,
    private readonly csrf: Csrf,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  show(visit: Visit): Promise<void> {
    return this.showForm(visit, { ...EMPTY, email: textOf(visit.interaction.params['login_hint']) }, {});
  }

  /** An invitation is for its address alone. */
  async create(visit: Visit): Promise<void> {
    const { form, frame: { texts, language }, request, interaction } = visit;
    const entered = newAccountIn(form);
    if (this.settings.SIGN_UP === 'off') return this.show(visit);
    if (visit.isForged) return this.showForm(visit, entered, { '': texts.problems.forged }, 403);
    const account = { ...entered, email: invitedAddress(await this.invited.find(interaction)) ?? entered.email };
    const password = textOf(form['password']);
    const problems = signUpProblems(account, password, texts);
    if (Object.keys(problems).length > 0) return this.showForm(visit, account, problems, 400);
    try {
      const origin = { address: request.ip, requestId: request.id };
      const accountId = await this.signUps.ask({ ...account, password, locale: language }, origin, { language, signInId: interaction.uid });
      return await this.wait(visit, toEmail(account.email), accountId, false);
    } catch (error) {
      return this.refuse(visit, account, error);
    }
  }

  /** Back from the mail: the browser that made the account need not give the password again. */
  async goOn(visit: Visit): Promise<void> {
    const { form, interaction, frame: { texts } } = visit;
    const [accountId, email] = [textOf(form['account']), textOf(form['email'])];
    if (!this.csrf.matches(form['proof'], proofOf(interaction.uid, accountId))) return this.showForm(visit, { ...EMPTY, email }, { '': texts.problems.forged }, 403);
    const user = await this.users.findById(accountId);
    if (user === undefined || !user.emailVerified || user.disabled) return this.wait(visit, email, accountId, true);
    return this.interactions.finish(visit, { login: { accountId: user.id, amr: ['pwd'] } });
  }

  private wait(visit: Visit, email: string, accountId: string, isTooEarly: boolean): Promise<void> {
    const { frame, path, csrf, interaction } = visit;
    const proof = this.csrf.tokenFor(proofOf(interaction.uid, accountId));
    return this.interactions.send(visit, waitingPage(frameIn(frame.language), { path, csrf, email, accountId, proof, isTooEarly }));
  }

  private refuse(visit: Visit, account: NewAccount, error: unknown): Promise<void> {
    const { reply, frame: { texts } } = visit;
    if (!(error instanceof ServiceError) || error.code !== 'too_many_requests') throw error;
    const seconds = error.retryAfter ?? 1;
    void reply.header('Retry-After', String(seconds));
    return this.showForm(visit, account, { '': texts.problems.tooMany(seconds) }, 429);
  }

  private async showForm(visit: Visit, entered: NewAccount, problems: Problems, status = 200): Promise<void> {
    const { frame: visited, path, csrf, application, interaction } = visit;
    const { SIGN_UP } = this.settings;
    const { signUp: { offTitle: title, off: reason } } = visited.texts;
    const frame = { ...visited, here: `${path}/sign-up` };
    if (SIGN_UP === 'off') return this.interactions.send(visit, errorPage(frame, { title, reason, code: 'sign_up_off' }), { status: 403 });
    const invitation = await this.invited.find(interaction);
    const bound = invitedAddress(invitation);
    const page = signUpPage(frame, {
      ...entered, path, csrf, application, problems, email: bound ?? entered.email, isBound: bound !== undefined,
      isByInvitation: SIGN_UP === 'invited' && bound === undefined, banner: bannerOf(frame, invitation), minLength: PASSWORD_POLICY.minLength,
    });
    return this.interactions.send(visit, page, { status });
  }
}

const proofOf = (signInId: string, accountId: string) => `signed up ${signInId} ${accountId}`;
