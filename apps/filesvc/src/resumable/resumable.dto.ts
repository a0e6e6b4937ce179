import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { invalidField, invalidFields, type QueryValues } from '@twinyard/conventions';
import { FileDto, toFileDto } from '../files/file.dto';
import type { FileEntity } from '../files/file.entity';
import { type FolderDraft, isRecord, parseFolderDraft } from '../files/file-draft.dto';
import { describePart, UNKNOWN_TYPE } from '../uploads/part-headers';
import type { ResumableUploadEntity } from './resumable-upload.entity';

export class UploadMetaDto {
  @ApiProperty({ description: 'Bytes of the whole' }) _size!: number;
  @ApiProperty({ description: 'Hex SHA-256 of the whole' }) _checksum!: string;
  @ApiPropertyOptional({ format: 'uuid', description: 'While it is under way' }) _uploadId?: string;
  @ApiProperty({ description: 'Bytes received: where to go on' }) _uploadOffset!: number;
}

/** A file whose content comes in pieces. */
export class ResumableFileDto extends FileDto {
  @ApiPropertyOptional({ type: UploadMetaDto }) _uploadMeta?: UploadMetaDto;
}

/** What a client announces of a content that will come in pieces. */
export interface ResumableDraft extends FolderDraft {
  readonly size: number;
  readonly checksum: string;
  readonly contentType: string;
  readonly contentEncoding: string | null;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** `{ _name, _namespaces, _parents, _tags, _userAttributes, _uploadMeta: { _size, _checksum } }`; own: `_contentType` and `_contentEncoding` beside the size. */
export async function parseResumableDraft(query: QueryValues, body: unknown): Promise<ResumableDraft> {
  const draft = await parseFolderDraft(query, body);
  const meta = isRecord(body) ? body['_uploadMeta'] : undefined;
  if (!isRecord(meta)) throw invalidField('_uploadMeta', 'is required: { _size, _checksum }');
  const issues = [
    ...(isSize(meta['_size']) ? [] : [{ field: '_uploadMeta._size', issue: 'must be the number of bytes' }]),
    ...(SHA256.test(checksumOf(meta['_checksum'])) ? [] : [{ field: '_uploadMeta._checksum', issue: 'must be a SHA-256 in hex' }]),
  ];
  if (issues.length > 0) throw invalidFields(issues);
  return { ...draft, size: meta['_size'] as number, checksum: checksumOf(meta['_checksum']), ...contentOf(meta) };
}

/** The form in which checksums are kept and compared. */
export const checksumOf = (value: unknown) => (typeof value === 'string' ? value.trim().toLowerCase() : '');

export const toUploadMeta = ({ id, size, checksum, received }: ResumableUploadEntity): UploadMetaDto => ({
  _size: size, _checksum: checksum, _uploadId: id, _uploadOffset: received.offset,
});

/** The file as it is, and how far its upload has come. */
export const toResumableFileDto = (file: FileEntity, upload: ResumableUploadEntity): ResumableFileDto => ({ ...toFileDto(file), _uploadMeta: toUploadMeta(upload) });

/** The same once it is finished, in whichever way it came; nothing for what has no content. */
export function toFinishedFileDto(file: FileEntity): ResumableFileDto {
  const { tip } = file;
  return { ...toFileDto(file), ...(tip && { _uploadMeta: { _size: tip.size, _checksum: tip.sha256, _uploadOffset: tip.size } }) };
}

/** `_fileVersion` of the answer that begins an upload: the id is the version's from then on. */
export function toBegunFileDto(file: FileEntity, upload: ResumableUploadEntity): ResumableFileDto {
  const dto = toResumableFileDto(file, upload);
  const { versionId: _id, size: _fileSize, contentType: _contentType, contentEncoding, checksum: _sha256 } = upload;
  return {
    ...dto,
    _fileVersion: {
      _id, _fileId: file.id, _version: file.nextVersion, _fileSize, _previews: [], _contentType, ...(contentEncoding !== null && { _contentEncoding: contentEncoding }), _sha256,
      _metadata: dto._metadata,
    },
  };
}

function contentOf(meta: Record<string, unknown>): Pick<ResumableDraft, 'contentType' | 'contentEncoding'> {
  const headers = Object.fromEntries([['content-type', meta['_contentType']], ['content-encoding', meta['_contentEncoding']]].flatMap(([name, value]) => (typeof value === 'string' ? [[name, [value]]] : [])));
  const { contentType = UNKNOWN_TYPE, contentEncoding = null } = describePart(headers as Record<string, string[]>);
  return { contentType, contentEncoding };
}

const isSize = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
