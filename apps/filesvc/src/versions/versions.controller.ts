import { Controller, Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiForbiddenResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { type Page, parsePaging, toPage } from '@twinyard/conventions';
import { SignedAddresses } from '../content/signed-addresses';
import { FILE_PAGE_BOUNDS } from '../files/file-filter';
import { ApiFilePaging } from '../files/file-query.decorator';
import { QUARANTINED, requireReleased } from '../scan/quarantine';
import { FileVersionDto, FileVersionPageDto, FileVersionUrlDto, toVersionDto } from './version.dto';
import { VersionsService } from './versions.service';

type FoundVersion = Awaited<ReturnType<VersionsService['get']>>;

@ApiTags('file versions')
@Controller('filesvc/api/v1/files/:id')
export class VersionsController {
  constructor(
    private readonly versions: VersionsService,
    private readonly addresses: SignedAddresses,
  ) {}

  @Get('url')
  @Allow('READ', 'filesvc:file')
  @ApiOperation({ operationId: 'getFileUrl', summary: 'Download address of the latest version' })
  @ApiOkResponse({ type: FileVersionUrlDto })
  @ApiForbiddenResponse({ description: QUARANTINED })
  async tipUrl(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<FileVersionUrlDto> {
    return this.withUrl(await this.versions.getTip(ctx, id));
  }

  @Get('versions')
  @Allow('READ', 'filesvc:file')
  @ApiOperation({ operationId: 'listFileVersions', summary: 'Versions of a file, newest first' })
  @ApiFilePaging()
  @ApiOkResponse({ type: FileVersionPageDto })
  async list(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<Page<FileVersionDto>> {
    const paging = parsePaging(query, FILE_PAGE_BOUNDS);
    return { ...toPage(await this.versions.list(ctx, id, paging), paging, toVersionDto), _includeTotal: true };
  }

  @Get('versions/:versionId')
  @Allow('READ', 'filesvc:file')
  @ApiOperation({ operationId: 'getFileVersion', summary: 'One version' })
  @ApiOkResponse({ type: FileVersionDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('versionId') versionId: string): Promise<FileVersionDto> {
    return toVersionDto((await this.versions.get(ctx, id, versionId)).version);
  }

  @Delete('versions/:versionId')
  @Allow('DELETE', 'filesvc:file')
  @HttpCode(204)
  @ApiOperation({ operationId: 'deleteFileVersion', summary: 'Deletes a version; with the only one its file' })
  @ApiNoContentResponse()
  async remove(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('versionId') versionId: string): Promise<void> {
    await this.versions.remove(ctx, id, versionId);
  }

  @Get('versions/:versionId/url')
  @Allow('READ', 'filesvc:file')
  @ApiOperation({ operationId: 'getFileVersionUrl', summary: 'Download address of one version' })
  @ApiOkResponse({ type: FileVersionUrlDto })
  @ApiForbiddenResponse({ description: QUARANTINED })
  async url(@Ctx() ctx: RequestContext, @Param('id') id: string, @Param('versionId') versionId: string): Promise<FileVersionUrlDto> {
    return this.withUrl(await this.versions.get(ctx, id, versionId));
  }

  private withUrl({ file, version }: FoundVersion): FileVersionUrlDto {
    requireReleased(version);
    return { ...toVersionDto(version), _name: file.name, _url: this.addresses.issue(version.id, file.name) };
  }
}
