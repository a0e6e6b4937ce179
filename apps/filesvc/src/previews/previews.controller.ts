import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiBadRequestResponse, ApiForbiddenResponse, ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { notFound } from '@twinyard/conventions';
import type { VersionOfFile } from '../versions/versions.repository';
import { NamedFileVersionDto, toVersionDto } from '../versions/version.dto';
import { VersionsService } from '../versions/versions.service';
import { QUARANTINED, requireReleased } from '../scan/quarantine';
import { PreviewAddresses } from './preview-addresses';
import { previewsOf } from './preview.dto';
import { requirePreviewSize } from './preview-size';

class FileVersionPreviewUrlDto extends NamedFileVersionDto {
  @ApiProperty({ description: 'Where the picture is: needs no token, works for an hour' }) _previewUrl!: string;
}

const NONE = 'There is no preview, or not yet: no picture is made of such files, and of broken ones';

@ApiTags('file versions')
@Controller('filesvc/api/v1/files/:id')
export class PreviewsController {
  constructor(
    private readonly versions: VersionsService,
    private readonly addresses: PreviewAddresses,
  ) {}

  @Get('previewurl')
  @Allow('READ', 'filesvc:file')
  @ApiOperation({ operationId: 'getFilePreviewUrl', summary: 'Address of the preview of the latest version' })
  @ApiQuery({ name: 'width', required: false, schema: { type: 'integer', enum: [640] }, description: 'Only 640' })
  @ApiQuery({ name: 'height', required: false, schema: { type: 'integer', enum: [480] }, description: 'Only 480' })
  @ApiOkResponse({ type: FileVersionPreviewUrlDto })
  @ApiBadRequestResponse({ description: 'Another size' })
  @ApiForbiddenResponse({ description: QUARANTINED })
  @ApiNotFoundResponse({ description: NONE })
  async ofTip(@Ctx() ctx: RequestContext, @Param('id') id: string, @Query() query: Record<string, unknown>): Promise<FileVersionPreviewUrlDto> {
    requirePreviewSize(query, 'optional');
    return this.withUrl(await this.versions.getTip(ctx, id));
  }

  @Get('versions/:versionId/previewurl')
  @Allow('READ', 'filesvc:file')
  @ApiOperation({ operationId: 'getFileVersionPreviewUrl', summary: 'Address of the preview of one version' })
  @ApiQuery({ name: 'width', schema: { type: 'integer', enum: [640] }, description: 'Only 640' })
  @ApiQuery({ name: 'height', schema: { type: 'integer', enum: [480] }, description: 'Only 480' })
  @ApiOkResponse({ type: FileVersionPreviewUrlDto })
  @ApiBadRequestResponse({ description: 'Another size, or none' })
  @ApiForbiddenResponse({ description: QUARANTINED })
  @ApiNotFoundResponse({ description: NONE })
  async ofVersion(
    @Ctx() ctx: RequestContext, @Param('id') id: string, @Param('versionId') versionId: string, @Query() query: Record<string, unknown>,
  ): Promise<FileVersionPreviewUrlDto> {
    requirePreviewSize(query, 'required');
    return this.withUrl(await this.versions.get(ctx, id, versionId));
  }

  private withUrl({ file, version }: VersionOfFile): FileVersionPreviewUrlDto {
    requireReleased(version);
    const [preview] = previewsOf(version);
    if (preview === undefined) throw notFound('preview of version', version.id);
    return { ...toVersionDto(version), _name: file.name, _previewUrl: this.addresses.issue(preview._id, file.name) };
  }
}
