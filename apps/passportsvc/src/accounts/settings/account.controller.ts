import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiOperation, ApiProduces, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AccessKeyForms } from './access-key-forms';
import { AccountForms, AccountPages } from './account-pages.service';

/** The account page (contract 1.1). Who is there is shown by the browser's session and not by a token, so to the guard it is public. */
@ApiTags('accounts')
@Controller('passportsvc/api/accounts')
export class AccountController {
  constructor(
    private readonly pages: AccountPages,
    private readonly forms: AccountForms,
    private readonly keys: AccessKeyForms,
  ) {}

  @Get()
  @Public()
  @ApiOperation({ operationId: 'showAccountPage', summary: 'The account page', description: 'For browsers: names, language, password, access keys and sessions. Without a session it leads through sign-in and back.' })
  @ApiQuery({ name: 'returnUrl', required: false, type: String, description: 'Where the page offers to go back to; ignored unless its origin is one that an application has registered' })
  @ApiQuery({ name: 'ui_locales', required: false, type: String, description: 'Languages, the preferred first, separated by spaces' })
  @ApiProduces('text/html')
  @ApiOkResponse({ description: 'A page', content: { 'text/html': { schema: { type: 'string' } } } })
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.pages.during(request, reply, (visit) => this.pages.show(visit));
  }

  @Get('sign-in')
  @Public()
  @ApiExcludeEndpoint()
  async signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.pages.toSignIn(request, reply);
  }

  @Post('profile')
  @Public()
  @ApiExcludeEndpoint()
  async saveProfile(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.pages.during(request, reply, (visit) => this.forms.saveProfile(visit));
  }

  @Post('password')
  @Public()
  @ApiExcludeEndpoint()
  async changePassword(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.pages.during(request, reply, (visit) => this.forms.changePassword(visit));
  }

  @Post('confirmation')
  @Public()
  @ApiExcludeEndpoint()
  async sendConfirmation(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.pages.during(request, reply, (visit) => this.forms.sendConfirmation(visit));
  }

  @Post('access-keys')
  @Public()
  @ApiExcludeEndpoint()
  async makeAccessKey(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.pages.during(request, reply, (visit) => this.keys.make(visit));
  }

  @Post('access-keys/:id')
  @Public()
  @ApiExcludeEndpoint()
  async deleteAccessKey(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.pages.during(request, reply, (visit) => this.keys.remove(visit));
  }

  @Post('sign-out')
  @Public()
  @ApiExcludeEndpoint()
  async signOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.pages.during(request, reply, (visit) => this.forms.signOut(visit));
  }

  @Post('sign-out-everywhere')
  @Public()
  @ApiExcludeEndpoint()
  async signOutEverywhere(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.pages.during(request, reply, (visit) => this.forms.signOutEverywhere(visit));
  }

  @Get('signed-out')
  @Public()
  @ApiExcludeEndpoint()
  async showSignedOut(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.pages.showSignedOut(request, reply);
  }
}
