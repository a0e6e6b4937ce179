import { ApiProperty } from '@nestjs/swagger';
import { PICTURE } from '@twinyard/previews';
import type { FileVersionEntity } from '../versions/file-version.entity';

export class PreviewDto {
  @ApiProperty({ format: 'uuid' }) _id!: string;
  @ApiProperty({ example: PICTURE.width }) _width!: number;
  @ApiProperty({ example: PICTURE.height }) _height!: number;
  @ApiProperty({ format: 'uuid' }) _fileVersionId!: string;
}

/** None while there is none, and while a scan holds the version. */
export function previewsOf(version: Pick<FileVersionEntity, 'id' | 'previewId' | 'quarantinedFor'> | null | undefined): PreviewDto[] {
  if (!version?.previewId || version.quarantinedFor) return [];
  return [{ _id: version.previewId, _width: PICTURE.width, _height: PICTURE.height, _fileVersionId: version.id }];
}
