import { Controller, Get, Options, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { RouteConfig } from '@nestjs/platform-fastify';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ANY_ORIGIN } from '../content/any-origin';
import { PREVIEW_CONTENT_PATH, PreviewAddresses } from './preview-addresses';
import { PreviewContent } from './preview-content';

@ApiTags('content')
@Controller(PREVIEW_CONTENT_PATH)
export class PreviewContentController {
  constructor(
    private readonly addresses: PreviewAddresses,
    private readonly content: PreviewContent,
  ) {}

  @Get(':previewId/:name')
  @Public()
  @RouteConfig(ANY_ORIGIN)
  @ApiOperation({ operationId: 'downloadPreview', summary: 'The picture behind a `_previewUrl`; HEAD too', description: 'PNG or JPEG of 640×480.' })
  @ApiQuery({ name: 'expires' })
  @ApiQuery({ name: 'signature' })
  @ApiOkResponse({ description: 'The picture', content: { 'image/png': {}, 'image/jpeg': {} } })
  @ApiResponse({ status: 206, description: 'A range of it, or several' })
  @ApiResponse({ status: 302, description: 'Where the operator has the store give out contents of this size itself' })
  @ApiResponse({ status: 304, description: 'As the caller has it' })
  @ApiResponse({ status: 403, description: 'A wrong signature, or one that has expired' })
  @ApiResponse({ status: 404, description: 'The version has been deleted' })
  @ApiResponse({ status: 412, description: 'Not what `If-Match` or `If-Unmodified-Since` is about' })
  @ApiResponse({ status: 416, description: 'A range outside of it' })
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('previewId') previewId: string, @Query() query: Record<string, unknown>): Promise<void> {
    const address = this.addresses.verify(previewId, query['expires'], query['signature']);
    const { status, headers, body } = await this.content.open(address, { method: request.method, headers: request.headers });
    await reply.status(status).headers(headers).send(body);
  }

  /** Preflights are answered by the CORS plugin; the route is there to carry its configuration. */
  @Options(':previewId/:name')
  @Public()
  @RouteConfig(ANY_ORIGIN)
  @ApiExcludeEndpoint()
  async options(@Res() reply: FastifyReply): Promise<void> {
    await reply.status(204).send();
  }
}
