import { Controller, Head, HttpCode, Options, Param, Patch, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExcludeEndpoint, ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, HoldsNoPlace, Public, RequestContext } from '@twinyard/auth';
import { ServiceError } from '@twinyard/conventions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { etagOf } from '../files/etag';
import { FilesService } from '../files/files.service';
import { isResumable, uploadCall } from './resumable-query';
import { ResumableUploads } from './resumable-uploads.service';
import { OFFSET_STREAM, TUS_VERSION } from './tus-refusal';

type QueryRecord = Record<string, unknown>;

const ApiChecksum = () => ApiQuery({ name: 'checksum', required: false, description: 'Which upload, where there are several: the SHA-256 that was announced' });

/** Uploads in pieces: tus 1.0.0 (contract 3). They begin with `POST /files?uploadType=resumable`. */
@ApiTags('files')
@Controller('filesvc/api/v1/files')
export class ResumableController {
  constructor(private readonly uploads: ResumableUploads, private readonly files: FilesService) {}

  @Head(':id')
  @Allow('READ', 'filesvc:file')
  @HttpCode(200)
  @ApiOperation({ operationId: 'getUploadOffset', summary: 'How far an upload has come; without `uploadType` the head of the file' })
  @ApiQuery({ name: 'uploadType', required: false, enum: ['resumable'] })
  @ApiChecksum()
  @ApiOkResponse({ description: 'Of an upload the first two, of a file the third', headers: { 'Upload-Offset': { schema: { type: 'integer' } }, 'Upload-Length': { schema: { type: 'integer' } }, ETag: { schema: { type: 'string' } } } })
  @ApiResponse({ status: 423, description: 'All bytes came, and a version is being made of them: ask again' })
  async head(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: QueryRecord, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    if (isResumable(query)) return answer(reply, await this.uploads.head(ctx, uploadCall(id, query, request.headers), request.raw));
    await reply.header('ETag', etagOf(await this.files.get(ctx, id))).send();
  }

  @Options(['', ':id'])
  @Public()
  @HttpCode(204)
  @ApiOperation({ operationId: 'getUploadCapabilities', summary: 'Which tus is spoken: version, extensions, largest size' })
  @ApiNoContentResponse({ headers: { 'Tus-Version': { schema: { type: 'string' } }, 'Tus-Extension': { schema: { type: 'string' } }, 'Tus-Max-Size': { schema: { type: 'integer' } } } })
  options(): void {
    // The headers are those of every answer to OPTIONS here, preflights included.
  }

  @Patch(':id')
  @Allow('CREATE', 'filesvc:file')
  @HoldsNoPlace()
  @HttpCode(204)
  @ApiOperation({ operationId: 'uploadPiece', summary: 'The next bytes of an upload', description: 'What came before a line broke is kept: ask by HEAD where to go on.' })
  @ApiConsumes(OFFSET_STREAM)
  @ApiBody({ required: false, description: 'Without one it is checked again whether all bytes are there', schema: { type: 'string', format: 'binary' } })
  @ApiQuery({ name: 'uploadType', required: false, enum: ['resumable'] })
  @ApiChecksum()
  @ApiHeader({ name: 'Upload-Offset', description: 'Where these bytes begin: what HEAD said' })
  @ApiHeader({ name: 'Tus-Resumable', required: false, description: `Version of the protocol: \`${TUS_VERSION}\`` })
  @ApiHeader({ name: 'Upload-Checksum', required: false, description: '`<algorithm> <Base64>` of these bytes; wrong: 460, and none of them is kept' })
  @ApiNoContentResponse({ headers: { 'Upload-Offset': { schema: { type: 'integer' } } } })
  @ApiResponse({ status: 409, description: 'Another offset' })
  @ApiResponse({ status: 412, description: 'Another version of the protocol, or `If-Match` names another `ETag`' })
  @ApiResponse({ status: 413, description: 'More bytes than announced' })
  @ApiResponse({ status: 423, description: 'Somebody else writes' })
  @ApiResponse({ status: 503, description: 'All bytes came, and the scanner of uploads does not answer: HEAD, or a PATCH without bytes, asks it again' })
  @ApiResponse({ status: 460, description: 'Other bytes than announced: the upload is over' })
  async patch(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: QueryRecord, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answer(reply, await this.uploads.patch(ctx, uploadCall(id, query, request.headers), request.raw));
  }

  /** "The actual method of the request MUST be ignored" (tus 1.0.0, X-HTTP-Method-Override): for clients whose line lets no PATCH or DELETE through. */
  @Post(':id')
  @Allow('CREATE', 'filesvc:file')
  @HoldsNoPlace()
  @ApiExcludeEndpoint()
  async override(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: QueryRecord, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const meant = isResumable(query) ? request.headers['x-http-method-override'] : undefined;
    if (meant === 'PATCH') return this.patch(ctx, id, query, request, reply);
    if (meant !== 'DELETE') throw new ServiceError('not_found', `Cannot POST ${request.url.split('?', 1)[0]}`);
    await this.uploads.cancel(ctx, uploadCall(id, query, request.headers));
    await reply.status(204).send();
  }
}

async function answer(reply: FastifyReply, response: Response): Promise<void> {
  // Origins are this service's business, not the protocol's.
  for (const [name, value] of response.headers) if (!name.startsWith('access-control-')) void reply.header(name, value);
  await reply.status(response.status).send();
}
