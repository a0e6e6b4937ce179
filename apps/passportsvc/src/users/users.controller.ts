import { Body, Controller, Get, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn, Ctx, keepingBody, RequestContext } from '@twinyard/auth';
import { toUserDto, UpdateUserDto, UserDto } from './user.dto';
import { type UserChanges, UsersService } from './users.service';

@ApiTags('users')
@Controller('passportsvc/api/v1/users')
export class UsersController {
  constructor(private readonly users: UsersService) {}

  @Get('me')
  @AllowSignedIn()
  @ApiOperation({ operationId: 'getOwnUser', summary: 'Who am I' })
  @ApiOkResponse({ type: UserDto })
  async me(@Ctx() ctx: RequestContext): Promise<UserDto> {
    return toUserDto(await this.users.getMe(ctx));
  }

  @Get(':id')
  @AllowSignedIn()
  @ApiOperation({ operationId: 'getUser', summary: 'One user', description: 'Oneself; a platform manager sees everybody.' })
  @ApiOkResponse({ type: UserDto })
  async get(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<UserDto> {
    return toUserDto(await this.users.get(ctx, id));
  }

  @Put(':id')
  @AllowSignedIn()
  @ApiOperation({ operationId: 'updateUser', summary: 'Changes a user', description: 'Fields that are missing stay as they are.' })
  @ApiOkResponse({ type: UserDto })
  async update(@Ctx() ctx: RequestContext, @Param('id') id: string, @Body() body: UpdateUserDto): Promise<UserDto> {
    return keepingBody(ctx, 200, toUserDto, (keep) => this.users.update(ctx, id, toChanges(body), keep));
  }
}

const toChanges = ({ _firstname, _lastname, _locale, _disabled }: Partial<UpdateUserDto>): UserChanges => ({
  ...(typeof _firstname === 'string' && { firstname: _firstname }),
  ...(typeof _lastname === 'string' && { lastname: _lastname }),
  ...(typeof _locale === 'string' && { locale: _locale }),
  ...(typeof _disabled === 'boolean' && { disabled: _disabled }),
});
