import type { IncomingHttpHeaders } from 'node:http';
import { Body, Controller, Delete, Get, Headers, HttpCode, Param, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, HoldsNoPlace, keepingAnswer, RequestContext } from '@twinyard/auth';
import { booleanParameter, invalidField, type Page, parsePaging, toPage } from '@twinyard/conventions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SignedAddresses } from '../content/signed-addresses';
import { isMultipart } from '../uploads/multipart';
import { UploadFiles } from '../uploads/upload-files';
import { parseResumableDraft, ResumableFileDto, toFinishedFileDto } from '../resumable/resumable.dto';
import { isResumable, uploadCall } from '../resumable/resumable-query';
import { ResumableUploads } from '../resumable/resumable-uploads.service';
import { CreateFolder } from './create-folder';
import { etagOf } from './etag';
import { FileDto, FilePageDto, toFileDto } from './file.dto';
import type { FileEntity } from './file.entity';
import { parseFileChanges, parseFolderDraft, parseUploadDraft, UpdateFileDto } from './file-draft.dto';
import { FILE_PAGE_BOUNDS, parseFileFilter, wantsUrls } from './file-filter';
import { ApiFileFilter, ApiPlace } from './file-query.decorator';
import { FilesService } from './files.service';
import { UpdateFile } from './update-file';

type QueryRecord = Record<string, unknown>;

@ApiTags('files')
@Controller('filesvc/api/v1/files')
export class FilesController {
  constructor(
    private readonly files: FilesService,
    private readonly createFolder: CreateFolder,
    private readonly uploadFiles: UploadFiles,
    private readonly updateFile: UpdateFile,
    private readonly resumable: ResumableUploads,
    private readonly addresses: SignedAddresses,
  ) {}

  @Post()
  @Allow('CREATE', 'filesvc:file')
  @HoldsNoPlace(({ headers }) => isMultipart(headers['content-type']))
  @ApiOperation({ operationId: 'uploadFiles', summary: 'Makes a folder, or uploads files', description: 'A multipart body uploads: parts named `file`, each a file; the same name in the same folder is a new version. With `uploadType=resumable` JSON begins an upload in pieces, which PATCH goes on with. Anything else makes a folder, by query or by JSON with `_name`, `_namespaces`, `_parents`, `_tags` and `_userAttributes`.' })
  @ApiPlace()
  // That JSON is taken too is said in words: what makes clients of this takes one kind of body for an operation, and JSON before any other.
  @ApiConsumes('multipart/form-data')
  @ApiBody({ required: false, schema: { type: 'object', properties: { file: { type: 'string', format: 'binary', description: 'A part for each file' } } } })
  @ApiQuery({ name: 'uploadType', required: false, enum: ['resumable'] })
  @ApiOkResponse({ type: ResumableFileDto, description: 'The folder; or the file, with `_uploadMeta`, whose `_fileVersion._id` is that of the version to come' })
  @ApiCreatedResponse({ type: [FileDto], description: 'The files' })
  @ApiResponse({ status: 408, description: 'Nothing came for a while' })
  @ApiResponse({ status: 413, description: 'More than a file may have (`too_large`), or than the namespace may hold (`quota_exceeded`); the figures are in `details`' })
  @ApiResponse({ status: 503, description: 'The scanner of uploads does not answer; nothing was kept' })
  async create(@Ctx() ctx: RequestContext, @Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<FileDto | FileDto[]> {
    const query = request.query as QueryRecord;
    if (isMultipart(request.headers['content-type'])) {
      if (isResumable(query)) throw invalidField('uploadType', 'resumable needs a JSON body; the bytes follow by PATCH');
      return (await this.uploadFiles.run(ctx, await parseUploadDraft(query), request.raw)).map(toFileDto);
    }
    void reply.status(200);
    if (isResumable(query)) return this.resumable.begin(ctx, await parseResumableDraft(query, request.body));
    return toFileDto(await this.createFolder.run(ctx, await parseFolderDraft(query, request.body)));
  }

  @Get()
  @Allow('READ', 'filesvc:file')
  @ApiOperation({ operationId: 'listFiles', summary: 'Files and folders that the caller may read, in the order of their creation' })
  @ApiQuery({ name: '_parents', required: false, type: String, isArray: true, description: 'What lies in all of these; `root` for the root. What somebody was given inside of folders that they may not read is not at the root: it is in a list without this' })
  @ApiFileFilter()
  @ApiOkResponse({ type: FilePageDto })
  async list(@Ctx() ctx: RequestContext, @Query() query: QueryRecord): Promise<Page<FileDto>> {
    const paging = parsePaging(query, FILE_PAGE_BOUNDS);
    const slice = await this.files.list(ctx, parseFileFilter(query), paging);
    return { ...toPage(slice, paging, this.mapperFor(query)), _includeTotal: true };
  }

  @Get(':parent_id/children')
  @Allow('READ', 'filesvc:file')
  @ApiOperation({ operationId: 'listFolderChildren', summary: 'What lies in a folder' })
  @ApiFileFilter()
  @ApiOkResponse({ type: FilePageDto })
  async children(@Ctx() ctx: RequestContext, @Param('parent_id') parentId: string, @Query() query: QueryRecord): Promise<Page<FileDto>> {
    const paging = parsePaging(query, FILE_PAGE_BOUNDS);
    const slice = await this.files.listChildren(ctx, parentId, parseFileFilter(query), paging);
    return { ...toPage(slice, paging, this.mapperFor(query)), _includeTotal: true };
  }

  @Get(':id')
  @Allow('READ', 'filesvc:file')
  @ApiOperation({ operationId: 'getFile', summary: 'A file or folder' })
  @ApiQuery({ name: 'includeUploadMeta', required: false, type: Boolean, description: 'With `_uploadMeta`: how far an upload has come, or the size and checksum of what is there' })
  @ApiOkResponse({ type: ResumableFileDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: QueryRecord, @Res({ passthrough: true }) reply: FastifyReply): Promise<ResumableFileDto> {
    const file = await this.files.get(ctx, id);
    if (!booleanParameter(query, 'includeUploadMeta')) return tagged(reply, file);
    // How far an upload has come is not told by the tag of the file: that answer gets one of its own.
    return (await this.resumable.underWay(file)) ?? tagged(reply, file, toFinishedFileDto);
  }

  @Put(':id')
  @Allow('EDIT', 'filesvc:file')
  @ApiOperation({ operationId: 'updateFile', summary: 'Renames, tags, moves', description: 'A move needs CREATE on the new folder. Namespaces that `nsfilter` does not name stay; to take it out of one needs EDIT there. With a stale `If-Match`: 412.' })
  @ApiBody({ type: UpdateFileDto })
  @ApiOkResponse({ type: FileDto })
  async update(
    @Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: unknown, @Headers('if-match') ifMatch: string | undefined,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FileDto> {
    const changes = await parseFileChanges(body);
    const answer = (file: FileEntity) => ({ status: 200 as const, headers: { etag: etagOf(file) }, body: toFileDto(file) });
    const { headers, body: updated } = await keepingAnswer(ctx, answer, (keep) => this.updateFile.run(ctx, id, { changes, ifMatch }, keep));
    void reply.headers(headers);
    return updated;
  }

  @Delete(':id')
  @Allow('DELETE', 'filesvc:file')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteFile', summary: 'Deletes a file with its versions, or a folder with everything in it', description: 'With `uploadType=resumable` the upload is given up: a file that has a version stays, and is answered (204 to who says `Tus-Resumable`, as that protocol has it); one that has none goes.' })
  @ApiQuery({ name: 'uploadType', required: false, enum: ['resumable'] })
  @ApiOkResponse({ type: FileDto, description: 'The file as before the upload that was given up' })
  @ApiNoContentResponse()
  async remove(
    @Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: QueryRecord, @Headers() headers: IncomingHttpHeaders,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<FileDto | undefined> {
    if (!isResumable(query)) {
      await this.files.remove(ctx, id, headers['if-match']);
      return undefined;
    }
    const kept = await this.resumable.cancel(ctx, uploadCall(id, query, headers));
    // Clients of the protocol take nothing but 204 ("Termination").
    if (kept === undefined || headers['tus-resumable'] !== undefined) return undefined;
    void reply.status(200);
    return tagged(reply, kept);
  }

  @Delete()
  @Allow('DELETE', 'filesvc:file')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteFiles', summary: 'Deletes many, or none', description: 'All, folders with everything in them, or none: 403 when the caller may not delete one of them. Ids that it cannot see are passed over. At most 1,000.' })
  @ApiBody({ type: [String] })
  @ApiNoContentResponse()
  async removeMany(@Ctx() ctx: RequestContext, @Body() body: unknown): Promise<void> {
    await this.files.removeMany(ctx, body);
  }

  private mapperFor(query: QueryRecord): (file: FileEntity) => FileDto {
    if (!wantsUrls(query)) return toFileDto;
    return (file) => ({ ...toFileDto(file), ...(file.tip && file.status === 'UPLOAD_COMPLETED' && { _url: this.addresses.issue(file.tip.id, file.name) }) });
  }
}

function tagged(reply: FastifyReply, file: FileEntity, toDto: (file: FileEntity) => FileDto = toFileDto): FileDto {
  void reply.header('ETag', etagOf(file));
  return toDto(file);
}
