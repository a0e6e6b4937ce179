import { Controller, Get, Options, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ANY_ORIGIN } from './any-origin';
import { ContentService } from './content.service';
import { CONTENT_PATH, SignedAddresses } from './signed-addresses';

@ApiTags('content')
@Controller(CONTENT_PATH)
export class ContentController {
  constructor(
    private readonly addresses: SignedAddresses,
    private readonly content: ContentService,
  ) {}

  @Get(':versionId/:name')
  @Public()
  @RouteConfig(ANY_ORIGIN)
  @ApiOperation({ operationId: 'downloadFileContent', summary: 'The bytes behind a `_url`; HEAD too', description: 'As stored, or decoded where `Accept-Encoding` does not take the stored encoding: then there are no ranges. Several ranges come as `multipart/byteranges`. Active content (html, svg, js …) comes as attachment.' })
  @ApiQuery({ name: 'expires' })
  @ApiQuery({ name: 'signature' })
  @ApiOkResponse({ description: 'The content' })
  @ApiResponse({ status: 206, description: 'A range of it, or several' })
  @ApiResponse({ status: 302, description: 'Large content that the store gives out itself, where the operator has set this up' })
  @ApiResponse({ status: 304, description: 'As the caller has it' })
  @ApiResponse({ status: 403, description: 'A wrong signature, or one that has expired; or the version is quarantined (`quarantined`)' })
  @ApiResponse({ status: 404, description: 'The version has been deleted' })
  @ApiResponse({ status: 412, description: 'Not what `If-Match` or `If-Unmodified-Since` is about' })
  @ApiResponse({ status: 416, description: 'A range outside of it' })
  @ApiResponse({ status: 422, description: 'It would have to be decoded, and is not in the encoding that was said at its upload' })
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('versionId') versionId: string, @Query() query: Record<string, unknown>): Promise<void> {
    const address = this.addresses.verify(versionId, query['expires'], query['signature']);
    const { status, headers, body } = await this.content.open(address, { method: request.method, headers: request.headers });
    await reply.status(status).headers(headers).send(body);
  }

  /** Preflights are answered by the CORS plugin; the route is there to carry its configuration. */
  @Options(':versionId/:name')
  @Public()
  @RouteConfig(ANY_ORIGIN)
  @ApiExcludeEndpoint()
  async options(@Res() reply: FastifyReply): Promise<void> {
    await reply.status(204).send();
  }
}
