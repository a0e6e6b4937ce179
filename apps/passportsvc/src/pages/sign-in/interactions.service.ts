import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InteractionResults } from 'oidc-provider';
import { type SignInSource, SignInRecords } from '../../audit/sign-in-records';
import { SIGN_IN_PATH } from '../../oauth/oidc-configuration';
import { ACCOUNT_CLIENT_ID, OidcClients } from '../../oauth/oidc-clients';
import { OidcProvider } from '../../oauth/oidc-provider.service';
import type { UserEntity } from '../../users/user.entity';
import { UsersRepository } from '../../users/users.repository';
import { Csrf } from '../csrf';
import { errorPage } from '../error-page';
import { type Frame, frameIn, frameOf } from '../frame';
import { type Form, type PageAnswer, redirectTo, sendPage, textOf } from '../page-reply';
import { languageFor } from '../texts/language';
import type { Interaction } from './interaction';

/** A request for one of the pages of a sign-in under way. */
export interface Visit {
  readonly interaction: Interaction;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly frame: Frame;
  /** Path of the sign-in; those of its other pages lie below it. */
  readonly path: string;
  /** For the hidden field of each form. */
  readonly csrf: string;
  /** What the request's form holds; nothing unless it was ours. */
  readonly form: Form;
  /** A form came that is not of this sign-in. */
  readonly isForged: boolean;
  /** Name of the application that sent the browser here. */
  readonly application: string;
  /** Whom the browser's session belongs to already. */
  readonly user: UserEntity | undefined;
}

/** Sign-ins under way: found by the browser's cookie, answered with pages, and finished. */
@Injectable()
export class Interactions {
  constructor(
    private readonly oidc: OidcProvider,
    private readonly clients: OidcClients,
    private readonly users: UsersRepository,
    private readonly csrf: Csrf,
    private readonly records: SignInRecords,
  ) {}

  /** Without a sign-in of this browser there is an error page. */
  async during(request: FastifyRequest, reply: FastifyReply, answer: (visit: Visit) => Promise<void>): Promise<void> {
    const { id } = request.params as { id: string };
    const interaction = await this.oidc.interactionOf(request, reply);
    if (interaction?.uid === id) return answer(await this.visit(interaction, request, reply));
    const frame = frameOf(request);
    const { signInEndedTitle: title, signInEnded: reason } = frame.texts.errors;
    return sendPage(reply, errorPage(frame, { title, reason, code: 'sign_in_ended' }), { status: 400 });
  }

  send({ interaction, reply }: Visit, page: string, { status = 200, formTargets = [] }: PageAnswer = {}): Promise<void> {
    return sendPage(reply, page, { status, formTargets: [textOf(interaction.params['redirect_uri']), ...formTargets] });
  }

  /** Back into the authorization request, which goes on with what was answered here so far and now. */
  async finish(visit: Visit, result: InteractionResults): Promise<void> {
    const { request, reply } = visit;
    if (result.login !== undefined) await this.records.signedIn(sourceOf(visit, result.login.amr?.[0]), result.login.accountId);
    const next = await this.oidc.provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: true });
    await redirectTo(reply, next);
  }

  /** Somebody was not let in. */
  async refuse(visit: Visit, method: string): Promise<void> {
    await this.records.refused(sourceOf(visit, method));
  }

  /** Asks anew who is there, whomever the browser's session belongs to. */
  async startOver({ interaction, request, reply }: Visit): Promise<void> {
    interaction.params['prompt'] = 'login';
    await interaction.persist();
    await redirectTo(reply, await this.oidc.provider.interactionResult(request.raw, reply.raw, {}, { mergeWithLastSubmission: false }));
  }

  private async visit(interaction: Interaction, request: FastifyRequest, reply: FastifyReply): Promise<Visit> {
    const user = await this.users.findById(interaction.session?.accountId ?? '');
    const frame = await this.frameOf(interaction, request, user);
    const form = (request.body ?? {}) as Form;
    const isForged = request.method !== 'GET' && !this.csrf.matches(form['csrf'], interaction.uid);
    return {
      interaction, request, reply, user, isForged, form: isForged ? {} : form,
      path: `${SIGN_IN_PATH}/${interaction.uid}`, csrf: this.csrf.tokenFor(interaction.uid),
      frame, application: await this.applicationOf(interaction, frame),
    };
  }

  /** A language that was chosen at the foot of a page is kept with the request, and holds for the pages that follow. */
  private async frameOf(interaction: Interaction, request: FastifyRequest, user: UserEntity | undefined): Promise<Frame> {
    const { ui_locales: chosen } = request.query as { ui_locales?: unknown };
    if (typeof chosen === 'string' && chosen !== interaction.params['ui_locales']) {
      interaction.params['ui_locales'] = chosen.slice(0, 100);
      await interaction.persist();
    }
    const language = languageFor({ uiLocales: textOf(interaction.params['ui_locales']), locale: user?.locale, acceptLanguage: request.headers['accept-language'] });
    return frameIn(language, request.url);
  }

  private async applicationOf(interaction: Interaction, { texts }: Frame): Promise<string> {
    const id = textOf(interaction.params['client_id']);
    if (id === ACCOUNT_CLIENT_ID) return texts.account.title;
    const client = await this.clients.find(id);
    return textOf(client?.['client_name']);
  }
}

const sourceOf = ({ interaction, request }: Visit, method = 'unknown'): SignInSource => ({
  appId: textOf(interaction.params['client_id']), method, address: request.ip, requestId: request.id,
});
