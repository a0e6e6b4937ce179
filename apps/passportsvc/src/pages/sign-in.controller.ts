import { Body, Controller, Get, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Interaction } from './interaction';
import { SignInPages } from './sign-in-pages.service';

type Form = Readonly<Record<string, unknown>> | undefined;

/** The pages between an authorization request and its answer. They work without scripts. */
@ApiExcludeController()
@Controller('passportsvc/sign-in/:id')
export class SignInController {
  constructor(private readonly pages: SignInPages) {}

  @Get()
  @Public()
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.pages.during(request, reply, (interaction) => this.pages.show(interaction, reply));
  }

  @Post()
  @Public()
  async signIn(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() form: Form): Promise<void> {
    await this.pages.during(request, reply, (interaction: Interaction) => this.pages.signIn(interaction, request, reply, form ?? {}));
  }

  @Post('consent')
  @Public()
  async consent(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() form: Form): Promise<void> {
    await this.pages.during(request, reply, (interaction: Interaction) => this.pages.consent(interaction, request, reply, form ?? {}));
  }
}
