import { Inject, Injectable } from '@nestjs/common';
import { CONSOLE_APP_ID } from '@twinyard/conventions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessKeys, type MadeAccessKey } from '../../accesskeys/access-keys.service';
import type { AuditActor } from '../../audit/audit-fact';
import { PASSPORT_SETTINGS, type PassportSettings } from '../../config';
import { PASSPORT_PATH } from '../../oauth/oidc-configuration';
import type { Problems } from '../../pages/form';
import { frameOf } from '../../pages/frame';
import { PageSlots } from '../../pages/page-slots';
import { redirectTo, sendPage, textOf } from '../../pages/page-reply';
import { LANGUAGES } from '../../pages/texts/language';
import { NAME_LENGTH } from '../../users/user.dto';
import { passwordProblem } from '../sign-up-form';
import { type KeyDraft, NEW_KEY } from './access-key-part';
import { accountPage, accountSignInPage, type Done, signedOutPage } from './account-page';
import { AccountSession, type AccountVisit } from './account-session';
import { AccountSettings, ConfirmationMails, PasswordChange, type Profile } from './account-settings.service';

/** What the page shows other than what is kept. */
interface Shown {
  readonly status?: number;
  readonly profile?: Profile;
  readonly keyDraft?: KeyDraft;
  readonly madeKey?: MadeAccessKey;
}

/** Of any application; the console is one that everybody has. */
const TOKEN_PATH = `${PASSPORT_PATH}/api/v1/auth/token?appId=${CONSOLE_APP_ID}`;

/** Shows the account page, and itself again after each of its forms. */
@Injectable()
export class AccountPages {
  constructor(
    private readonly session: AccountSession,
    private readonly accessKeys: AccessKeys,
    private readonly slots: PageSlots,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /** Without a session there is the way to one. */
  async during(request: FastifyRequest, reply: FastifyReply, answer: (visit: AccountVisit) => Promise<void>): Promise<void> {
    const visit = await this.session.find(request, reply);
    if (visit === undefined) return this.showSignIn(request, reply);
    if (visit.isForged) return this.show(visit, { '': visit.frame.texts.problems.forged }, { status: 403 });
    return answer(visit);
  }

  async show(visit: AccountVisit, problems: Problems = {}, { status = 200, profile, keyDraft = NEW_KEY, madeKey }: Shown = {}): Promise<void> {
    const { user, frame, csrf, place, reply, request } = visit;
    const { done } = request.query as { done?: unknown };
    const page = accountPage(frame, {
      place, csrf, user, problems, profile: profile ?? user,
      accessKeys: { all: await this.accessKeys.listOf(user.id), draft: keyDraft, made: madeKey, tokenAddress: `${this.settings.BASE_URL}${TOKEN_PATH}` },
      providers: await this.slots.accountSectionFor({ userId: user.id, frame, csrf }),
      done: Object.keys(problems).length === 0 && isDone(done, frame.texts.account.done) ? done : undefined,
    });
    await sendPage(reply, page, { status });
  }

  async showSignedOut(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const place = await this.session.placeOf(request);
    const { everywhere } = request.query as { everywhere?: unknown };
    await sendPage(reply, signedOutPage(frameOf(request), place, everywhere !== undefined));
  }

  /** Where somebody has asked for it already: no page in between. */
  async toSignIn(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await redirectTo(reply, (await this.session.placeOf(request)).signIn(this.settings.BASE_URL));
  }

  async done({ reply, place }: AccountVisit, done: Done): Promise<void> {
    await redirectTo(reply, place.here({ done }));
  }

  private async showSignIn(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const place = await this.session.placeOf(request);
    await sendPage(reply, accountSignInPage({ ...frameOf(request), here: place.here() }, place.signIn(this.settings.BASE_URL)));
  }
}

const isDone = (done: unknown, texts: object): done is Done => typeof done === 'string' && Object.hasOwn(texts, done);

/** The forms of the account page. */
@Injectable()
export class AccountForms {
  constructor(
    private readonly pages: AccountPages,
    private readonly settings: AccountSettings,
    private readonly password: PasswordChange,
    private readonly confirmations: ConfirmationMails,
  ) {}

  async saveProfile(visit: AccountVisit): Promise<void> {
    const { user, form, frame: { texts: { problems } } } = visit;
    const profile = { firstname: textOf(form['firstname']).trim(), lastname: textOf(form['lastname']).trim(), locale: textOf(form['locale']) || null };
    const locales: readonly (string | null)[] = [null, user.locale, ...LANGUAGES];
    const wrong = {
      ...(profile.firstname.length > NAME_LENGTH && { firstname: problems.nameLong(NAME_LENGTH) }),
      ...(profile.lastname.length > NAME_LENGTH && { lastname: problems.nameLong(NAME_LENGTH) }),
      ...(!locales.includes(profile.locale) && { locale: problems.locale }),
    };
    if (Object.keys(wrong).length > 0) return this.pages.show(visit, wrong, { status: 400, profile });
    await this.settings.saveProfile(user, profile, originOf(visit));
    return this.pages.done(visit, 'profile');
  }

  async changePassword(visit: AccountVisit): Promise<void> {
    const { user, form, request, reply, frame: { language, texts }, sessionId } = visit;
    const wanted = textOf(form['password']);
    const problem = passwordProblem(wanted, user.email, texts);
    if (problem !== undefined) return this.pages.show(visit, { password: problem }, { status: 400 });
    const checked = await this.password.check(user, textOf(form['current']), { address: request.ip, cookies: request.headers.cookie });
    if (checked.outcome === 'slowed') {
      void reply.header('Retry-After', String(checked.seconds));
      return this.pages.show(visit, { current: texts.problems.slowed(checked.seconds) }, { status: 429 });
    }
    if (checked.outcome === 'refused') return this.pages.show(visit, { current: texts.problems.wrongCurrentPassword }, { status: 400 });
    await this.password.change(user, wanted, { ...originOf(visit), language, sessionId });
    return this.pages.done(visit, 'password');
  }

  async sendConfirmation(visit: AccountVisit): Promise<void> {
    if (!visit.user.emailVerified) await this.confirmations.send(visit.user, visit.request.id, { language: visit.frame.language });
    return this.pages.done(visit, 'confirmation');
  }

  async signOut(visit: AccountVisit): Promise<void> {
    const { reply, place, sessionId, user } = visit;
    await this.settings.signOut(user, sessionId, originOf(visit));
    await redirectTo(reply, place.part('signed-out'));
  }

  async signOutEverywhere(visit: AccountVisit): Promise<void> {
    const { reply, place, user } = visit;
    await this.settings.signOutEverywhere(user, originOf(visit));
    await redirectTo(reply, place.part('signed-out', { everywhere: '' }));
  }
}

const originOf = ({ request }: AccountVisit) => ({ address: request.ip, requestId: request.id });

/** Who has sent a form, for the audit log. */
export const actorOf = (visit: AccountVisit): AuditActor => ({ id: visit.user.id, ...originOf(visit) });
