import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { invalidField, listParameter, type QueryValues } from '@twinyard/conventions';
import { toInvalid } from '@twinyard/service-kit';
import { plainToInstance } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsOptional, IsString, ValidateBy, type ValidationOptions, validate } from 'class-validator';
import { attributesOf, faultOfAttributes, type UserAttributes } from '../attributes/user-attributes';
import { faultOfName, normaliseName } from './file-name';
import { faultOfTags, toTags } from './file-tags';

const byFault = (name: string, fault: (value: unknown) => string | undefined) => (options?: ValidationOptions) =>
  ValidateBy({ name, validator: { validate: (value) => fault(value) === undefined, defaultMessage: (args) => fault(args?.value) ?? 'is wrong' } }, options);
const IsFileName = byFault('isFileName', faultOfName);
const AreTags = byFault('areTags', faultOfTags);
const AreAttributes = byFault('areAttributes', faultOfAttributes);

/** Where something new goes. */
export class PlaceDto {
  @ApiProperty({ type: [String], description: 'Within `nsfilter`, and among those of the folder' })
  @IsArray({ message: 'is required' })
  @ArrayMinSize(1)
  @IsString({ each: true })
  _namespaces!: string[];

  @ApiPropertyOptional({ type: [String], description: 'The folder; none, or `root`, is the root' })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1, { message: 'must not name more than one folder' })
  @IsString({ each: true })
  _parents?: string[];

  @ApiPropertyOptional({ type: [String], description: 'At most 10, each of at most 50 characters' })
  @IsOptional()
  @AreTags()
  _tags?: string[];

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'An object of at most 2,000 characters as JSON' })
  @IsOptional()
  @AreAttributes()
  _userAttributes?: UserAttributes;
}

export class CreateFolderDto extends PlaceDto {
  @ApiProperty({ description: '1 to 255 bytes' })
  @IsFileName()
  _name!: string;
}

export class UploadDto extends PlaceDto {
  @ApiPropertyOptional({ description: 'Name of the first part; else that of the part' })
  @IsOptional()
  @IsFileName()
  _name?: string;
}

/** A whole record may be sent back: what the service owns is ignored. What is left out stays as it is. */
export class UpdateFileDto {
  @ApiProperty({ description: 'With extension' })
  @IsFileName()
  _name!: string;

  @ApiPropertyOptional({ type: [String] })
  @IsOptional()
  @AreTags()
  _tags?: string[];

  @ApiPropertyOptional({ type: 'object', additionalProperties: true, description: 'An object of at most 2,000 characters as JSON' })
  @IsOptional()
  @AreAttributes()
  _userAttributes?: UserAttributes;

  @ApiPropertyOptional({ type: [String], description: 'Moves it; empty: to the root' })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(1, { message: 'must not name more than one folder' })
  @IsString({ each: true })
  _parents?: string[];

  @ApiPropertyOptional({ type: [String], description: 'Within `nsfilter`; of a folder: for everything in it' })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @IsString({ each: true })
  _namespaces?: string[];
}

/** What is to be made. */
export interface PlaceDraft {
  readonly namespaces: readonly string[];
  readonly parentId: string | null;
  readonly tags?: readonly string[];
  readonly userAttributes?: UserAttributes;
}
export interface FolderDraft extends PlaceDraft {
  readonly name: string;
}
export interface UploadDraft extends PlaceDraft {
  readonly name?: string;
}
/** What is to be changed. */
export interface FileChanges {
  readonly name: string;
  readonly tags?: readonly string[];
  readonly userAttributes?: UserAttributes;
  readonly parentId?: string | null;
  readonly namespaces?: readonly string[];
}

/** From the query or a JSON body; what the body says wins. */
export async function parseFolderDraft(query: QueryValues, body: unknown): Promise<FolderDraft> {
  const dto = await checked(CreateFolderDto, { ...fromQuery(query), ...fromBody(body) });
  return { ...toPlace(dto), name: normaliseName(dto._name) };
}

export async function parseUploadDraft(query: QueryValues): Promise<UploadDraft> {
  const dto = await checked(UploadDto, fromQuery(query));
  return { ...toPlace(dto), ...(dto._name !== undefined && { name: normaliseName(dto._name) }) };
}

export async function parseFileChanges(body: unknown): Promise<FileChanges> {
  if (!isRecord(body)) throw invalidField('body', 'must be a JSON object');
  const dto = await checked(UpdateFileDto, { ...fromBody(body), _name: body['_name'] });
  return {
    name: normaliseName(dto._name),
    ...(dto._tags && { tags: toTags(dto._tags) }),
    ...(dto._userAttributes && { userAttributes: dto._userAttributes }),
    ...(dto._parents && { parentId: toParent(dto._parents) }),
    ...(dto._namespaces && { namespaces: [...new Set(dto._namespaces)] }),
  };
}

const toPlace = ({ _namespaces, _parents, _tags, _userAttributes }: PlaceDto): PlaceDraft => ({
  namespaces: [...new Set(_namespaces)],
  parentId: toParent(_parents ?? []),
  ...(_tags && { tags: toTags(_tags) }),
  ...(_userAttributes && { userAttributes: _userAttributes }),
});

/** In the form in which ids are stored and compared. */
const toParent = (parents: readonly string[]) => parents.find((parent) => parent !== 'root')?.toLowerCase() ?? null;

async function checked<T extends object>(type: new () => T, { _userAttributes, ...plain }: Readonly<Record<string, unknown>>): Promise<T> {
  // Attributes stay as they were sent: a class has no say in what is in them.
  const dto = Object.assign(plainToInstance(type, plain), { _userAttributes });
  const errors = await validate(dto, { forbidUnknownValues: false });
  if (errors.length > 0) throw toInvalid(errors);
  return dto;
}

export const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

function fromQuery(query: QueryValues): Record<string, unknown> {
  const lists = ['_namespaces', '_parents', '_tags'].map((name) => [name, listParameter(query, name)] as const);
  const _userAttributes = attributesOf(query);
  return {
    ...Object.fromEntries(lists.filter(([, values]) => values !== undefined)), ...(query['_name'] !== undefined && { _name: query['_name'] }),
    ...(_userAttributes && { _userAttributes }),
  };
}

/** Lists may also be one text, comma-separated as in a query (the specification shows `_tags` both ways). */
function fromBody(body: unknown): Record<string, unknown> {
  if (!isRecord(body)) return {};
  const lists = ['_namespaces', '_parents', '_tags'].map((name) => [name, toList(body[name])] as const);
  return {
    ...Object.fromEntries(lists.filter(([, value]) => value !== undefined && value !== null)),
    ...Object.fromEntries(['_name', '_userAttributes'].filter((name) => body[name] !== undefined).map((name) => [name, body[name]])),
  };
}

const toList = (value: unknown) => (typeof value === 'string' ? listParameter({ value }, 'value') : value);
