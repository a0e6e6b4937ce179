import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Interactions } from './interactions.service';
import { SignInPages } from './sign-in-pages.service';

/** The pages between an authorization request and its answer. They work without scripts. */
@ApiExcludeController()
@Controller('passportsvc/sign-in/:id')
export class SignInController {
  constructor(
    private readonly interactions: Interactions,
    private readonly pages: SignInPages,
  ) {}

  @Get()
  @Public()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.pages.show(visit));
  }

  @Post()
  @Public()
  async signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.pages.signIn(visit));
  }

  @Post('consent')
  @Public()
  async consent(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.pages.consent(visit));
  }
}
