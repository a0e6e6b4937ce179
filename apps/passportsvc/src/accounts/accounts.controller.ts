import { Body, Controller, Get, Post, Req } from '@nestjs/common';
import { ApiConflictResponse, ApiCreatedResponse, ApiForbiddenResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiTags, ApiTooManyRequestsResponse } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyRequest } from 'fastify';
import { SignUpDto, toUserDto, UserDto } from '../users/user.dto';
import { PASSWORD_POLICY } from './passwords';
import { SignUps } from './sign-ups.service';

class PasswordPoliciesDto {
  @ApiProperty({ description: 'Characters' })
  _minLength: number;

  @ApiProperty({ description: 'Characters' })
  _maxLength: number;
}

@ApiTags('accounts')
@Controller('passportsvc/api/v1/accounts')
export class AccountsController {
  constructor(private readonly signUps: SignUps) {}

  @Post()
  @Public()
  @ApiOperation({ operationId: 'createAccount', summary: 'Signs up' })
  @ApiCreatedResponse({ type: UserDto })
  @ApiForbiddenResponse({ description: 'Sign-up is switched off' })
  @ApiConflictResponse({ description: 'There is an account with this address' })
  @ApiTooManyRequestsResponse({ description: 'Too many from one address in a minute' })
  async create(@Body() body: SignUpDto, @Req() request: FastifyRequest): Promise<UserDto> {
    const { _email, _password, _firstname, _lastname, _locale } = body;
    const signUp = { email: _email, password: _password, firstname: _firstname ?? '', lastname: _lastname ?? '', locale: _locale ?? null };
    return toUserDto(await this.signUps.create(signUp, { address: request.ip, requestId: request.id }));
  }

  @Get('passwordPolicies')
  @Public()
  @ApiOperation({ operationId: 'getPasswordPolicies', summary: 'What a password must be like' })
  @ApiOkResponse({ type: PasswordPoliciesDto })
  passwordPolicies(): PasswordPoliciesDto {
    return { _minLength: PASSWORD_POLICY.minLength, _maxLength: PASSWORD_POLICY.maxLength };
  }
}
