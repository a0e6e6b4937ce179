import { Body, Controller, HttpCode, Post, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import {
  type ApplicationOfNamespaceRequest, type ApplicationOfNamespaceResponse, type AssignableProfileRequest, type AssignableProfileResponse, type GrantResolveRequest, type GrantResolveResponse, type GrantSyncRequest,
  type OriginsResponse, PASSPORT_INTERNAL, Public, type RunSecretsRequest, type RunSecretsResponse, type RunTokenRequest, type RunTokenResponse, ServiceTokenGuard, UP_TO_DATE_HEADER, type UsersRequest,
  type UsersResponse,
} from '@twinyard/auth';
import { CheckedBody } from '@twinyard/service-kit';
import type { FastifyReply } from 'fastify';
import { GrantFeed } from '../grant-feed/grant-feed.service';
import { RunTokens } from '../oauth/run-tokens';
import { AssignableProfiles } from '../permissionprofiles/assignable-profiles';
import { GrantResolver } from '../permissions/grant-resolver';
import { RunSecrets } from '../secrets/run-secrets';
import { InternalDirectory } from './internal-directory';
import { INTERNAL_BODIES } from './internal-requests';

/** For the other services only: the gateway does not route `/internal`, and the guard wants the service token. */
@ApiExcludeController()
@UseGuards(ServiceTokenGuard)
@Controller()
export class InternalController {
  constructor(
    private readonly feed: GrantFeed,
    private readonly resolver: GrantResolver,
    private readonly directory: InternalDirectory,
    private readonly runTokens: RunTokens,
    private readonly profiles: AssignableProfiles,
    private readonly secrets: RunSecrets,
  ) {}

  /** The head of a held answer goes out before the hold: it renews the lease of who asks. */
  @Post(PASSPORT_INTERNAL.sync)
  @Public()
  async sync(@Body(new CheckedBody(INTERNAL_BODIES.sync)) request: GrantSyncRequest, @Res() reply: FastifyReply): Promise<void> {
    const sendHead = () => {
      reply.hijack();
      reply.raw.writeHead(200, { 'content-type': 'application/json', [UP_TO_DATE_HEADER]: '1' }).flushHeaders();
    };
    try {
      const changes = await this.feed.sync(request, sendHead);
      if (reply.sent) reply.raw.end(JSON.stringify(changes));
      else void reply.status(200).send(changes);
    } catch (error) {
      if (!reply.sent) throw error;
      reply.raw.destroy(); // too late for another status: who asks sees a broken answer and asks again
    }
  }

  @Post(PASSPORT_INTERNAL.resolve)
  @Public()
  @HttpCode(200)
  resolve(@Body(new CheckedBody(INTERNAL_BODIES.resolve)) request: GrantResolveRequest): Promise<GrantResolveResponse> {
    return this.resolver.answer(request.principal, request.service);
  }

  @Post(PASSPORT_INTERNAL.runTokens)
  @Public()
  @HttpCode(200)
  runToken(@Body(new CheckedBody(INTERNAL_BODIES.runTokens)) request: RunTokenRequest): Promise<RunTokenResponse> {
    return this.runTokens.issue(request);
  }

  @Post(PASSPORT_INTERNAL.assignableProfile)
  @Public()
  @HttpCode(200)
  assignableProfile(@Body(new CheckedBody(INTERNAL_BODIES.assignableProfile)) request: AssignableProfileRequest): Promise<AssignableProfileResponse> {
    return this.profiles.judge(request);
  }

  @Post(PASSPORT_INTERNAL.runSecrets)
  @Public()
  @HttpCode(200)
  runSecrets(@Body(new CheckedBody(INTERNAL_BODIES.runSecrets)) request: RunSecretsRequest): Promise<RunSecretsResponse> {
    return this.secrets.tell(request);
  }

  @Post(PASSPORT_INTERNAL.users)
  @Public()
  @HttpCode(200)
  users(@Body(new CheckedBody(INTERNAL_BODIES.users)) request: UsersRequest): Promise<UsersResponse> {
    return this.directory.users(request.ids);
  }

  @Post(PASSPORT_INTERNAL.origins)
  @Public()
  @HttpCode(200)
  origins(): Promise<OriginsResponse> {
    return this.directory.origins();
  }

  @Post(PASSPORT_INTERNAL.namespaces)
  @Public()
  @HttpCode(200)
  namespaces(@Body(new CheckedBody(INTERNAL_BODIES.namespaces)) request: ApplicationOfNamespaceRequest): Promise<ApplicationOfNamespaceResponse> {
    return this.directory.applicationsOf(request.namespaces);
  }
}
