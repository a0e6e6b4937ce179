import { Inject, Injectable } from '@nestjs/common';
import { RegisteredOrigins } from '@twinyard/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PASSPORT_SETTINGS, type PassportSettings } from '../../config';
import { OidcProvider } from '../../oauth/oidc-provider.service';
import { Csrf } from '../../pages/csrf';
import { type Frame, frameOf } from '../../pages/frame';
import { type Form, textOf } from '../../pages/page-reply';
import type { UserEntity } from '../../users/user.entity';
import { UsersRepository } from '../../users/users.repository';
import { type AccountPlace, placeOf } from './account-place';

/** A request of somebody whose browser has a session. */
export interface AccountVisit {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly frame: Frame;
  readonly place: AccountPlace;
  readonly user: UserEntity;
  readonly sessionId: string;
  /** For the hidden field of each form: bound to this session, which a sign-in gives a new name. */
  readonly csrf: string;
  /** What the request's form holds; nothing unless it was ours. */
  readonly form: Form;
  /** A form came that is not of this session. */
  readonly isForged: boolean;
}

/** Whose account a browser shows: by the session that the sign-in has left in it, as oidc-provider keeps it. */
@Injectable()
export class AccountSession {
  constructor(
    private readonly oidc: OidcProvider,
    private readonly users: UsersRepository,
    private readonly origins: RegisteredOrigins,
    private readonly csrf: Csrf,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
  ) {}

  /** `undefined` where nobody is signed in, or not any more. */
  async find(request: FastifyRequest, reply: FastifyReply): Promise<AccountVisit | undefined> {
    const { provider } = this.oidc;
    const { accountId, uid: sessionId } = await provider.Session.get(provider.createContext(request.raw, reply.raw) as never);
    const user = accountId === undefined ? undefined : await this.users.findById(accountId);
    if (user === undefined || user.disabled) return undefined;
    const form = (request.body ?? {}) as Form;
    const isForged = request.method !== 'GET' && !this.csrf.matches(form['csrf'], nameOf(sessionId));
    const place = await this.placeOf(request);
    return {
      request, reply, user, sessionId, isForged, form: isForged ? {} : form, place, csrf: this.csrf.tokenFor(nameOf(sessionId)),
      frame: { ...frameOf(request, user.locale), here: place.here() },
    };
  }

  /** The way back that the application named is offered only to an origin that some application has registered. */
  async placeOf(request: FastifyRequest): Promise<AccountPlace> {
    // The sign-in that the page leads through brings the address back as `state`.
    const { returnUrl, state, ui_locales: uiLocales } = request.query as Readonly<Record<string, unknown>>;
    const asked = textOf(returnUrl) || textOf(state);
    return placeOf((await this.isOffered(asked)) ? asked : undefined, textOf(uiLocales));
  }

  private async isOffered(returnUrl: string): Promise<boolean> {
    if (!URL.canParse(returnUrl)) return false;
    const { origin, protocol } = new URL(returnUrl);
    return /^https?:$/.test(protocol) && (origin === new URL(this.settings.BASE_URL).origin || (await this.origins.has(origin)));
  }
}

/** No sign-in under way has such a name, so a form of the one is none of the other. */
const nameOf = (sessionId: string) => `account ${sessionId}`;
