import { ApiProperty, ApiPropertyOptional, PartialType } from '@nestjs/swagger';
import { pageOf } from '@twinyard/service-kit';
import { IsNotEmpty, IsObject, IsOptional, IsString, MaxLength } from 'class-validator';
import { RecordDto, toRecordDto } from '../namespaces/record.dto';
import { displayNameOf, type UserEntity } from '../users/user.entity';
import type { UserGroupEntity } from './usergroup.entity';
import type { GroupChanges, GroupDraft } from './usergroups.service';

/** Specification 1, limits. */
const SHORT_NAME_LENGTH = 22;

export class CreateUserGroupDto {
  @ApiProperty({ description: 'Readable long-form name' })
  @IsString() @IsNotEmpty() @MaxLength(255)
  _name: string;

  @ApiPropertyOptional({ maxLength: SHORT_NAME_LENGTH, description: 'Abbreviated name; without it the first 22 characters of `_name`' })
  @IsOptional() @IsString() @IsNotEmpty() @MaxLength(SHORT_NAME_LENGTH)
  _shortName?: string;

  @ApiPropertyOptional()
  @IsOptional() @IsString() @MaxLength(10_000)
  _description?: string;

  @ApiPropertyOptional()
  @IsOptional() @IsString() @MaxLength(255)
  _userType?: string;

  @ApiPropertyOptional({ type: Object, description: 'Free-form attributes' })
  @IsOptional() @IsObject()
  _userAttributes?: Record<string, unknown>;

  @ApiPropertyOptional({ description: 'With a token of the console: the organization that the group is made in' })
  @IsOptional() @IsString()
  _orgId?: string;
}

export class UpdateUserGroupDto extends PartialType(CreateUserGroupDto) {}

export class UserGroupDto extends RecordDto {
  @ApiProperty({ type: Object })
  readonly _userAttributes: object;

  @ApiPropertyOptional({ description: 'Of an application' })
  readonly _appId?: string;

  @ApiPropertyOptional({ format: 'uuid' })
  readonly _orgId?: string;

  @ApiProperty({ description: 'Whether the caller is a member' })
  readonly _isMember: boolean;
}

export class GroupMemberDto {
  @ApiProperty({ format: 'uuid' }) readonly _id: string;
  @ApiProperty({ description: 'The e-mail address' }) readonly _username: string;
  @ApiProperty() readonly _firstname: string;
  @ApiProperty() readonly _lastname: string;
  @ApiProperty() readonly _fullname: string;
  @ApiProperty({ format: 'email' }) readonly _email: string;
  @ApiProperty() readonly _eusa: boolean;
  @ApiProperty() readonly _privacy: boolean;
  @ApiProperty({ description: 'Signs in through another identity provider' }) readonly _isSocial: boolean;
  @ApiProperty({ type: Object, example: { accType: 'user' } }) readonly _type: { readonly accType: string };
  @ApiProperty({ type: Object }) readonly _socialProfile: object;
}

export const UserGroupPageDto = pageOf(UserGroupDto);
export const GroupMemberPageDto = pageOf(GroupMemberDto);

/** What is not sent, or sent as null, stays as it is. */
export const toGroupChanges = (dto: UpdateUserGroupDto): GroupChanges => ({
  ...(dto._name != null && { name: dto._name }),
  ...(dto._shortName != null && { shortName: dto._shortName }),
  ...(dto._description != null && { description: dto._description }),
  ...(dto._userType != null && { userType: dto._userType }),
  ...(dto._userAttributes != null && { userAttributes: dto._userAttributes }),
});

/** By characters: half of a surrogate pair is no text. */
const abbreviated = (name: string): string => [...name].slice(0, SHORT_NAME_LENGTH).join('').trimEnd();

export const toGroupDraft = (dto: CreateUserGroupDto): GroupDraft => ({
  ...toGroupChanges(dto),
  name: dto._name,
  shortName: dto._shortName ?? abbreviated(dto._name),
  ...(dto._orgId != null && { orgId: dto._orgId }),
});

export const toGroupRecord = (memberOf: readonly string[]) => (group: UserGroupEntity): UserGroupDto => ({
  ...toRecordDto('usergroup', group),
  _userAttributes: group.userAttributes,
  ...(group.appId !== null && { _appId: group.appId }),
  ...(group.orgId !== null && { _orgId: group.orgId }),
  _isMember: memberOf.includes(group.id),
});

export const toMemberRecord = (user: UserEntity): GroupMemberDto => ({
  _id: user.id,
  _username: user.email,
  _firstname: user.firstname,
  _lastname: user.lastname,
  _fullname: displayNameOf(user),
  _email: user.email,
  _eusa: true,
  _privacy: true,
  _isSocial: user.passwordHash === null,
  _type: { accType: 'user' },
  _socialProfile: {},
});
