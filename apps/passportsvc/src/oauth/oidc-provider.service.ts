import type { EventEmitter } from 'node:events';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ServiceError } from '@twinyard/conventions';
import { LOGGER, type Logger, translateStoreError } from '@twinyard/service-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { ClientSecrets } from '../clients/client-secrets';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { type KeySet, SigningKeys } from '../signing-keys/signing-keys.service';
import { AUTHORIZATION_CODE_PARAMETERS, authorizationCodeGrant } from './authorization-code.grant';
import { ClientAuthentication } from './client-authentication';
import { useOwnClientRules } from './client-rules';
import { oidcConfiguration, PASSPORT_PATH } from './oidc-configuration';
import { loadOidcLibrary, type OidcLibrary } from './oidc-library';
import { apiManners } from './oidc-manners';
import { OidcStores } from './oidc-store.adapter';
import { nameSuccessors } from './refresh-tokens';
import { answerInBoth, answerInFragment, answerInQuery } from './response-modes';
import { endSessionsEverywhere, sendBackAsRegistered } from './sign-out';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

interface Running {
  readonly keys: KeySet;
  readonly provider: Provider;
  /** Koa composes its middleware anew each time that it is asked for this. */
  readonly answer: ReturnType<Provider['callback']>;
}

/** oidc-provider, configured for this API, and made anew when the keys change. */
@Injectable()
export class OidcProvider implements OnModuleInit {
  private library: OidcLibrary;
  private running: Running;

  constructor(
    private readonly keys: SigningKeys,
    private readonly stores: OidcStores,
    private readonly secrets: ClientSecrets,
    private readonly authentication: ClientAuthentication,
    @Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    this.library = await loadOidcLibrary();
    this.running = this.start(this.keys.keys);
  }

  get provider(): Provider {
    return this.current.provider;
  }

  private get current(): Running {
    if (this.running.keys !== this.keys.keys) this.running = this.start(this.keys.keys);
    return this.running;
  }

  /** The sign-in under way that the browser's cookie names. None is no more than that: what the store fails with is not the end of one. */
  async interactionOf(request: FastifyRequest, reply: FastifyReply): Promise<Interaction | undefined> {
    try {
      return await this.provider.interactionDetails(request.raw, reply.raw);
    } catch (error) {
      if (error instanceof this.library.errors.SessionNotFound) return undefined;
      throw error;
    }
  }

  /** Hands a request to the library as it came; its body must not have been read. */
  async handle(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) reply.raw.setHeader(name, value);
    reply.hijack();
    await this.current.answer(request.raw, reply.raw);
  }

  private start(keys: KeySet): Running {
    const { settings, library, stores, secrets } = this;
    const provider = new library.Provider(settings.BASE_URL + PASSPORT_PATH, oidcConfiguration({ settings, keys, stores, library }));
    provider.proxy = true;
    provider.use(apiManners(provider, this.authentication, settings.BASE_URL) as never);
    provider.use(sendBackAsRegistered as never);
    provider.registerGrantType('authorization_code', authorizationCodeGrant(provider, library), AUTHORIZATION_CODE_PARAMETERS, ['resource']);
    answerInOurForms(provider, library);
    useOwnClientRules(provider, secrets, library);
    nameSuccessors(provider, secrets, library);
    endSessionsEverywhere(provider, stores.sessions, library);
    provider.on('server_error', (ctx, error) => this.report(ctx, error));
    // Koa's own, which it would print otherwise: a connection that the caller closed, for example.
    (provider as EventEmitter).on('error', (error: unknown) => this.logger.warn({ err: error }, 'OAuth request broke off'));
    return { keys, provider, answer: provider.callback() };
  }

  /** The library calls every failure its own. A store that is away comes back: the answer is that of every other route (contract 0.2). */
  private report(ctx: KoaContextWithOIDC, error: Error): void {
    const failure = translateStoreError(error);
    if (!(failure instanceof ServiceError)) return this.logger.error({ err: error }, 'OAuth request failed');
    ctx.status = failure.status;
    if (failure.retryAfter !== undefined) ctx.set('Retry-After', String(failure.retryAfter));
    this.logger.warn({ reason: error.message }, failure.message);
  }
}

/** The library's own forms write the query of a redirect URI anew. */
function answerInOurForms(provider: Provider, { internalsOf }: OidcLibrary): void {
  const { responseModes } = internalsOf(provider);
  responseModes.set('both', answerInBoth).set('query', answerInQuery).set('fragment', answerInFragment);
}
