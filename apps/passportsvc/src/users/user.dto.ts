import { ApiProperty, ApiPropertyOptional, PartialType, PickType } from '@nestjs/swagger';
import { type MetadataRecord, toMetadata } from '@twinyard/conventions';
import { IsMailbox } from '@twinyard/service-kit';
import { IsBoolean, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { PASSWORD_POLICY } from '../accounts/passwords';
import { displayNameOf, type UserEntity } from './user.entity';

/** Characters of a first or last name. */
export const NAME_LENGTH = 128;

export class UserDto {
  @ApiProperty({ format: 'uuid' })
  _id: string;

  @ApiProperty({ description: 'The e-mail address' })
  _username: string;

  @ApiProperty()
  _email: string;

  @ApiProperty()
  @IsOptional()
  @IsString()
  @MaxLength(NAME_LENGTH)
  _firstname: string;

  @ApiProperty()
  @IsOptional()
  @IsString()
  @MaxLength(NAME_LENGTH)
  _lastname: string;

  @ApiProperty({ description: 'First and last name, or the address of somebody who gave neither' })
  _fullname: string;

  @ApiPropertyOptional({ example: 'en' })
  @IsOptional()
  @Matches(/^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, { message: 'must be a language tag such as `en` or `de-CH`' })
  _locale?: string;

  @ApiProperty()
  _emailVerified: boolean;

  @ApiProperty({ description: 'A disabled user cannot sign in, and its tokens stop working at once. A platform manager sets it' })
  @IsOptional()
  @IsBoolean()
  _disabled: boolean;

  @ApiProperty()
  _isSocial: boolean;

  @ApiProperty({ type: 'object', additionalProperties: true })
  _metadata: MetadataRecord;
}

export class UpdateUserDto extends PartialType(PickType(UserDto, ['_firstname', '_lastname', '_locale', '_disabled'] as const)) {}

export class SignUpDto extends PartialType(PickType(UserDto, ['_firstname', '_lastname', '_locale'] as const)) {
  @ApiProperty({ format: 'email' })
  @IsMailbox()
  _email: string;

  @ApiProperty({ format: 'password', ...PASSWORD_POLICY, description: 'See `accounts/passwordPolicies`' })
  @IsString()
  _password: string;
}

export const toUserDto = (user: UserEntity): UserDto => ({
  _id: user.id,
  _username: user.email,
  _email: user.email,
  _firstname: user.firstname,
  _lastname: user.lastname,
  _fullname: displayNameOf(user),
  ...(user.locale !== null && { _locale: user.locale }),
  _emailVerified: user.emailVerified,
  _disabled: user.disabled,
  _isSocial: user.passwordHash === null,
  _metadata: toMetadata(user),
});
