import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { toMetadata } from '@twinyard/conventions';
import { MetadataDto, pageOf } from '@twinyard/service-kit';
import { PreviewDto, previewsOf } from '../previews/preview.dto';
import type { FileVersionEntity } from './file-version.entity';

export class FileVersionDto {
  @ApiProperty({ format: 'uuid' }) _id!: string;
  @ApiProperty({ format: 'uuid' }) _fileId!: string;
  @ApiProperty({ minimum: 1 }) _version!: number;
  @ApiProperty({ description: 'Bytes as stored' }) _fileSize!: number;
  @ApiProperty({ type: [PreviewDto], description: 'Its picture; empty until it is made, and where none is' }) _previews!: PreviewDto[];
  @ApiProperty({ description: 'Own: as declared at the upload' }) _contentType!: string;
  @ApiPropertyOptional({ description: 'Own: what the first bytes say that it is, whatever was declared; absent when they do not tell' }) _detectedContentType?: string;
  @ApiPropertyOptional({ description: 'Own: what a scan found in it; its bytes are not given out' }) _quarantinedFor?: string;
  @ApiPropertyOptional({ description: 'Own' }) _contentEncoding?: string;
  @ApiProperty({ description: 'Own: of the bytes as stored, hex' }) _sha256!: string;
  @ApiProperty({ type: MetadataDto }) _metadata!: MetadataDto;
}

/** A version as part of an answer that leads to its bytes. */
export class NamedFileVersionDto extends FileVersionDto {
  @ApiProperty({ description: 'The name of the file' }) _name!: string;
}

export class FileVersionUrlDto extends NamedFileVersionDto {
  @ApiProperty({ description: 'Where the bytes are: needs no token, works for an hour, also when the right to read is withdrawn meanwhile; not when the version is deleted' }) _url!: string;
}

export class FileVersionPageDto extends pageOf(FileVersionDto) {
  @ApiProperty() override readonly _includeTotal!: boolean;
}

export const toVersionDto = (version: FileVersionEntity): FileVersionDto => ({
  _id: version.id,
  _fileId: version.fileId,
  _version: version.number,
  _fileSize: version.size,
  _previews: previewsOf(version),
  _contentType: version.contentType,
  ...(version.detectedContentType !== null && { _detectedContentType: version.detectedContentType }),
  ...(version.quarantinedFor !== null && { _quarantinedFor: version.quarantinedFor }),
  ...(version.contentEncoding !== null && { _contentEncoding: version.contentEncoding }),
  _sha256: version.sha256,
  _metadata: toMetadata(version),
});
