import type { Type } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { type MetadataRecord, toMetadata } from '@twinyard/conventions';
import { IsNotEmpty, IsOptional, IsString, MaxLength } from 'class-validator';
import type { Resource } from './resource';

/** A reference to another record (contract 7). */
export class ReferenceDto {
  @ApiProperty({ format: 'uuid' })
  @IsString()
  @IsNotEmpty()
  _id!: string;
}

/** What every kind of record has. Bodies may be whole records sent back: what the service owns is ignored. */
export class ResourceDto {
  @ApiPropertyOptional({ format: 'uuid', readOnly: true })
  _id?: string;

  @ApiPropertyOptional({ minLength: 1, maxLength: 200, description: 'Unique in the namespace; never changes' })
  @IsOptional()
  @IsString()
  @IsNotEmpty()
  @MaxLength(200)
  _name?: string;

  @ApiPropertyOptional({ maxLength: 2000 })
  @IsOptional()
  @IsString()
  @MaxLength(2_000)
  _description?: string;

  @ApiProperty({ type: [String], description: 'Exactly one; on create, `nsfilter` when it names one and this is missing' })
  _namespaces!: string[];

  @ApiPropertyOptional({ readOnly: true, description: 'Sent back on PUT or DELETE, in the query or the body, it is an optimistic lock: 409 when stale' })
  _version?: number;

  @ApiPropertyOptional({ readOnly: true, description: 'ISO 8601, UTC' })
  _createdAt?: string;

  @ApiPropertyOptional({ readOnly: true, description: 'ISO 8601, UTC' })
  _updatedAt?: string;

  @ApiPropertyOptional({ type: Object, readOnly: true })
  _metadata?: MetadataRecord;
}

/** As a record is made that its caller names. */
export function namedDraft<D extends ResourceDto>(dto: Type<D>): Type<D> {
  class Named extends (dto as Type<ResourceDto>) {}
  ApiProperty({ required: true })(Named.prototype, '_name');
  Object.defineProperty(Named, 'name', { value: `Create${dto.name}` });
  return Named as Type<D>;
}

export const toResourceDto = (resource: Resource): ResourceDto => ({
  ...resource.body,
  _id: resource.id,
  _name: resource.name,
  _namespaces: [resource.namespace],
  _version: resource.version,
  _createdAt: resource.createdAt.toISOString(),
  _updatedAt: resource.updatedAt.toISOString(),
  _metadata: toMetadata(resource),
});
