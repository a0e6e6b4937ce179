import { ApiProperty } from '@nestjs/swagger';
import { formatIrn, type PermissionRecord, type ResourceDesc, toMetadata } from '@twinyard/conventions';
import { MetadataDto, pageOf } from '@twinyard/service-kit';
import { ArrayNotEmpty, IsArray, IsNotEmpty, IsString, MaxLength, ValidateIf } from 'class-validator';
import type { Permission } from '../permissions/permission.entity';
import { toPermissionRecord } from '../permissions/permission.dto';
import type { PermissionProfileEntity } from './permission-profile.entity';
import type { ProfileDraft } from './permission-profiles.service';

const given = (_: object, value: unknown) => value !== undefined && value !== null;

/** A permission as a profile holds it: without `_user`, since it is the profile's. */
export class ProfilePermissionDto {
  @ApiProperty({ type: [String], example: ['READ', 'SHARE'] })
  readonly _actions: readonly string[];

  @ApiProperty({ minLength: 1, description: 'Namespace that the resource belongs to' })
  readonly _namespace: string;

  @ApiProperty({ type: Object, example: { _irn: 'filesvc:file:*' } })
  readonly _resourceDesc: ResourceDesc;
}

export class CreatePermissionProfileDto {
  @ApiProperty({ description: 'Unique in each of its namespaces' })
  @IsString() @IsNotEmpty() @MaxLength(255)
  _name: string;

  @ApiProperty({ description: 'Unique or shared tag' })
  @IsString() @IsNotEmpty() @MaxLength(255)
  _userType: string;

  @ApiProperty({ type: [String] })
  @IsArray() @ArrayNotEmpty() @IsString({ each: true })
  _namespaces: string[];

  /** Read by `parsePermission`, which names every fault. */
  @ApiProperty({ type: [ProfilePermissionDto] })
  @IsArray()
  _permissions: unknown[];
}

/** What is not sent, or sent as null, stays as it is. */
export class UpdatePermissionProfileDto {
  @ApiProperty({ required: false })
  @ValidateIf((_, value) => given(_ as object, value)) @IsString() @IsNotEmpty() @MaxLength(255)
  _name?: string;

  @ApiProperty({ required: false })
  @ValidateIf((_, value) => given(_ as object, value)) @IsString() @IsNotEmpty() @MaxLength(255)
  _userType?: string;

  @ApiProperty({ type: [String], required: false })
  @ValidateIf((_, value) => given(_ as object, value)) @IsArray() @ArrayNotEmpty() @IsString({ each: true })
  _namespaces?: string[];

  @ApiProperty({ type: [ProfilePermissionDto], required: false })
  @ValidateIf((_, value) => given(_ as object, value)) @IsArray()
  _permissions?: unknown[];
}

export class PermissionProfileDto {
  @ApiProperty({ format: 'uuid' }) readonly _id: string;
  @ApiProperty({ example: 'passportsvc:permission_profile:<_id>' }) readonly _irn: string;
  @ApiProperty() readonly _name: string;
  @ApiProperty() readonly _userType: string;
  @ApiProperty({ type: [String] }) readonly _namespaces: readonly string[];
  @ApiProperty({ type: [ProfilePermissionDto] }) readonly _permissions: readonly ProfilePermissionDto[];
  @ApiProperty({ type: MetadataDto }) readonly _metadata: MetadataDto;
}

export const PermissionProfilePageDto = pageOf(PermissionProfileDto);

export const toProfileDraft = (dto: CreatePermissionProfileDto): ProfileDraft => ({
  name: dto._name, userType: dto._userType, namespaces: dto._namespaces, permissions: dto._permissions,
});

export const toProfileChanges = (dto: UpdatePermissionProfileDto): Partial<ProfileDraft> => ({
  ...(dto._name != null && { name: dto._name }),
  ...(dto._userType != null && { userType: dto._userType }),
  ...(dto._namespaces != null && { namespaces: dto._namespaces }),
  ...(dto._permissions != null && { permissions: dto._permissions }),
});

export interface ProfileWithPermissions {
  readonly profile: PermissionProfileEntity;
  readonly permissions: readonly Permission[];
}

export const toProfileRecord = ({ profile, permissions }: ProfileWithPermissions): PermissionProfileDto => ({
  _id: profile.id,
  _irn: formatIrn('passportsvc', 'permission_profile', profile.id),
  _name: profile.name,
  _userType: profile.userType,
  _namespaces: profile.namespaces,
  _permissions: permissions.map((permission) => withoutPrincipal(toPermissionRecord(permission))),
  _metadata: toMetadata(profile),
});

const withoutPrincipal = ({ _actions, _namespace, _resourceDesc }: PermissionRecord): ProfilePermissionDto => ({ _actions, _namespace, _resourceDesc });
