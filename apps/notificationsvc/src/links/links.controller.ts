import { Body, Controller, Get, Param, Post, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import type { FastifyReply } from 'fastify';
import { LinksService } from './links.service';
import { answerPage, confirmPage } from './link-pages';
import { isOneClick, TAKES_ONE_CLICK } from './one-click';

/** Where the links of mails lead: a page that asks, since mail scanners follow links, and the form that it posts. */
@ApiExcludeController()
@Controller('notificationsvc/api/v1/links')
export class LinksController {
  constructor(private readonly links: LinksService) {}

  @Get(':token')
  @Public()
  async ask(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    const link = this.links.read(token);
    await reply.status(link === undefined ? 404 : 200).headers(PAGE_HEADERS).send(link === undefined ? answerPage('unknown') : confirmPage(link.action));
  }

  /** A mail program that posts for its reader is told at once, and sent nowhere (RFC 8058 section 3.1). */
  @Post(':token')
  @Public()
  @RouteConfig(TAKES_ONE_CLICK)
  async act(@Param('token') token: string, @Body() form: unknown, @Res() reply: FastifyReply): Promise<void> {
    const { outcome, redirect } = await this.links.follow(token);
    if (redirect !== undefined && !isOneClick(form)) {
      await reply.redirect(redirect, 303);
      return;
    }
    await reply.status(outcome === 'unknown' ? 404 : 200).headers(PAGE_HEADERS).send(answerPage(outcome));
  }
}

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
