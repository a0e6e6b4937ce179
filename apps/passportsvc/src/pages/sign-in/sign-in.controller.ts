import { Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Interactions } from './interactions.service';
import { InvitePages } from './invite-pages.service';
import { SignInPages } from './sign-in-pages.service';

/** The pages between an authorization request and its answer. They work without scripts. */
@ApiExcludeController()
@Controller('passportsvc/sign-in/:id')
export class SignInController {
  constructor(
    private readonly interactions: Interactions,
    private readonly pages: SignInPages,
    private readonly invites: InvitePages,
  ) {}

  /** Whatever has to be answered next. */
  @Get()
  @Public()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => (visit.interaction.prompt.name === 'invite' ? this.invites.show(visit) : this.pages.show(visit)));
  }

  @Post()
  @Public()
  async signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.pages.signIn(visit));
  }

  @Post('invite')
  @Public()
  async answerInvite(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.invites.decide(visit));
  }

  @Post('consent')
  @Public()
  async consent(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.interactions.during(request, reply, (visit) => this.pages.consent(visit));
  }
}
