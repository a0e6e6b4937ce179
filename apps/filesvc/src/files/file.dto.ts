import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { formatIrn, toMetadata } from '@twinyard/conventions';
import { MetadataDto, pageOf } from '@twinyard/service-kit';
import type { UserAttributes } from '../attributes/user-attributes';
import { PreviewDto, previewsOf } from '../previews/preview.dto';
import { FileVersionDto, toVersionDto } from '../versions/version.dto';
import type { FileEntity } from './file.entity';
import { FILE_STATUSES, FILE_TYPES, type FileStatus, type FileType } from './file-status';

export class FileDto {
  @ApiProperty({ format: 'uuid' }) _id!: string;
  @ApiProperty({ example: 'filesvc:file:<_id>' }) _irn!: string;
  @ApiProperty() _name!: string;
  @ApiProperty({ enum: FILE_TYPES }) _type!: FileType;
  @ApiProperty({ type: [String] }) _namespaces!: string[];
  @ApiProperty({ type: [String], description: 'The folder; empty at the root' }) _parents!: string[];
  @ApiProperty({ type: [String] }) _tags!: string[];
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'What clients keep with it' }) _userAttributes!: UserAttributes;
  @ApiProperty({ enum: FILE_STATUSES }) _status!: FileStatus;
  @ApiProperty({ description: '0 for a folder' }) _tipVersion!: number;
  @ApiPropertyOptional({ format: 'uuid', description: 'Not on a folder' }) _tipId?: string;
  @ApiProperty() _nextVersion!: number;
  @ApiProperty({ type: [PreviewDto], description: 'The picture of the latest version; empty until it is made, and where none is' }) _previews!: PreviewDto[];
  @ApiPropertyOptional({ type: FileVersionDto, description: 'The latest version; not on a folder' }) _fileVersion?: FileVersionDto;
  @ApiPropertyOptional({ description: 'With `withUrl=true` in a list' }) _url?: string;
  @ApiProperty({ type: MetadataDto }) _metadata!: MetadataDto;
}

export class FilePageDto extends pageOf(FileDto) {
  @ApiProperty() override readonly _includeTotal!: boolean;
}

export const toFileDto = (file: FileEntity): FileDto => ({
  _id: file.id,
  _irn: formatIrn('filesvc', 'file', file.id),
  _name: file.name,
  _type: file.type,
  _namespaces: [...file.namespaces],
  _parents: file.parentId === null ? [] : [file.parentId],
  _tags: [...file.tags],
  _userAttributes: file.userAttributes,
  _status: file.status,
  _tipVersion: file.tip?.number ?? 0,
  ...(file.tipId !== null && { _tipId: file.tipId }),
  _nextVersion: file.nextVersion,
  _previews: previewsOf(file.tip),
  ...(file.tip && { _fileVersion: toVersionDto(file.tip) }),
  _metadata: toMetadata(file),
});
