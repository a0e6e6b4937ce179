import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { InteractionResults } from 'oidc-provider';
import { SIGN_IN_PATH } from '../oauth/oidc-configuration';
import { OidcProvider } from '../oauth/oidc-provider.service';
import type { SignInResult } from '../sessions/sign-in.service';
import { SignInMethods } from '../sessions/sign-in-methods';
import { OidcClients } from '../oauth/oidc-clients';
import { UsersRepository } from '../users/users.repository';
import { consentPage } from './consent-page';
import { Csrf } from './csrf';
import { errorPage } from './error-page';
import type { Interaction } from './interaction';
import { PAGE_HEADERS, pageSecurityPolicy } from './page-security';
import { signInPage } from './sign-in-page';

type Form = Readonly<Record<string, unknown>>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

@Injectable()
export class SignInPages {
  constructor(
    private readonly oidc: OidcProvider,
    private readonly clients: OidcClients,
    private readonly users: UsersRepository,
    private readonly methods: SignInMethods,
    private readonly csrf: Csrf,
  ) {}

  /** Finds the sign-in under way by the browser's cookie; without one there is an error page. */
  async during(request: FastifyRequest, reply: FastifyReply, answer: (interaction: Interaction) => Promise<void>): Promise<void> {
    const { id } = request.params as { id: string };
    const interaction = await this.oidc.provider.interactionDetails(request.raw, reply.raw).catch(() => undefined);
    if (interaction?.uid === id) return answer(interaction);
    return send(reply.status(400), errorPage({ title: 'This sign-in has ended', reason: 'It took too long, or was begun in another browser.', code: 'sign_in_ended' }));
  }

  async show(interaction: Interaction, reply: FastifyReply): Promise<void> {
    if (interaction.prompt.name === 'consent') return this.showConsent(interaction, reply);
    return this.showForm(interaction, reply, textOf(interaction.params['login_hint']));
  }

  async signIn(interaction: Interaction, request: FastifyRequest, reply: FastifyReply, form: Form): Promise<void> {
    const email = textOf(form['email']);
    if (!this.csrf.matches(form['csrf'], interaction.uid)) return this.showForm(interaction, reply.status(403), email, 'This form was not ours. Please try again.');
    const result = await this.methods.authenticate('password', { body: { email, password: textOf(form['password']) }, ip: request.ip, cookies: request.headers.cookie });
    if (result.outcome === 'signed-in' && result.deviceCookie !== undefined) void reply.header('Set-Cookie', result.deviceCookie);
    if (result.outcome === 'signed-in') return this.finish(request, reply, { login: { accountId: result.user.id, amr: ['pwd'] } });
    if (result.outcome === 'slowed') void reply.header('Retry-After', String(result.seconds));
    return this.showForm(interaction, reply.status(result.outcome === 'slowed' ? 429 : 401), email, problemOf(result));
  }

  async consent(interaction: Interaction, request: FastifyRequest, reply: FastifyReply, form: Form): Promise<void> {
    if (!this.csrf.matches(form['csrf'], interaction.uid)) return this.show(interaction, reply.status(403));
    const agreed = form['decision'] === 'allow';
    return this.finish(request, reply, agreed ? { consent: {} } : { error: 'access_denied', error_description: 'The user did not agree' });
  }

  private async finish(request: FastifyRequest, reply: FastifyReply, result: InteractionResults): Promise<void> {
    const next = await this.oidc.provider.interactionResult(request.raw, reply.raw, result, { mergeWithLastSubmission: true });
    await reply.header('Cache-Control', 'no-store').redirect(next, 303);
  }

  private async showForm(interaction: Interaction, reply: FastifyReply, email: string, problem?: string): Promise<void> {
    const page = signInPage({
      action: `${SIGN_IN_PATH}/${interaction.uid}`, csrf: this.csrf.tokenFor(interaction.uid), application: await this.applicationOf(interaction), email,
      ...(problem !== undefined && { problem }),
    });
    return send(reply, page, textOf(interaction.params['redirect_uri']));
  }

  private async showConsent(interaction: Interaction, reply: FastifyReply): Promise<void> {
    const user = await this.users.findById(interaction.session?.accountId ?? '');
    const page = consentPage({
      action: `${SIGN_IN_PATH}/${interaction.uid}/consent`, csrf: this.csrf.tokenFor(interaction.uid), application: await this.applicationOf(interaction),
      email: user?.email ?? '', scopes: textOf(interaction.params['scope']).split(' '),
    });
    return send(reply, page, textOf(interaction.params['redirect_uri']));
  }

  private async applicationOf(interaction: Interaction): Promise<string> {
    const client = await this.clients.find(textOf(interaction.params['client_id']));
    return textOf(client?.['client_name']);
  }
}

function problemOf(result: SignInResult): string {
  return result.outcome === 'slowed'
    ? `Too many wrong passwords. Please wait ${result.seconds} ${result.seconds === 1 ? 'second' : 'seconds'} and try again.`
    : 'The e-mail address or the password is wrong.';
}

async function send(reply: FastifyReply, page: string, redirectUri?: string): Promise<void> {
  await reply.headers({ ...PAGE_HEADERS, 'Content-Security-Policy': pageSecurityPolicy(redirectUri) }).type('text/html; charset=utf-8').send(page);
}
