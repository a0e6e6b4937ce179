import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Interactions } from './interactions.service';
import { ResetRequestPages } from './reset-request-pages.service';
import { SignUpPages } from './sign-up-pages.service';

/** For those who cannot sign in yet, or not any more. */
@ApiExcludeController()
@Controller('passportsvc/sign-in/:id')
export class NewAccountController {
  constructor(
    private readonly interactions: Interactions,
    private readonly signUps: SignUpPages,
    private readonly resets: ResetRequestPages,
  ) {}

  @Get('sign-up')
  @Public()
  async showSignUp(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.signUps.show(visit));
  }

  @Post('sign-up')
  @Public()
  async signUp(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.signUps.create(visit));
  }

  @Post('sign-up/confirmed')
  @Public()
  async goOn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.signUps.goOn(visit));
  }

  @Get('reset')
  @Public()
  async showReset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.resets.show(visit));
  }

  @Post('reset')
  @Public()
  async requestReset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.resets.request(visit));
  }
}
