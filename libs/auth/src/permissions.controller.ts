import { text as textOf } from 'node:stream/consumers';
import { Body, Controller, Delete, Get, HttpCode, Param, Put, Req, Res, type Type } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { capitalized, type ServiceName, unavailable } from '@twinyard/conventions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AllowSignedIn } from './decorators';
import { requestJson } from './json-request';
import { GrantDto, PermissionDto, PermissionPageDto, PermissionResultDto } from './permission.dto';

const TIMEOUT_MS = 10_000;

/**
 * The four permission operations that every service serves for its own types (contract 0.4). passportsvc stores them, so
 * they are handed to it with the caller's own token; `_service` tells it which types are meant.
 */
export function permissionsController(service: ServiceName, passportUrl: string): Type {
  const forward = (request: FastifyRequest, reply: FastifyReply, path: string, body?: unknown) => forwardTo(passportUrl, service, { request, reply, path, body });

  const noun = `${capitalized(service)}Permission`;

  @ApiTags('permissions')
  @Controller(`${service}/api/v1/permissions`)
  class PermissionsController {
    @Put()
    @AllowSignedIn({ scope: 'own' })
    @ApiOperation({ operationId: `save${noun}s`, summary: `Grants permissions on types of ${service}; creates or replaces the actions of each` })
    @ApiBody({ type: [GrantDto] })
    @ApiOkResponse({ type: PermissionResultDto })
    async put(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Body() body: unknown): Promise<void> {
      await forward(request, reply, '', body);
    }

    @Get()
    @AllowSignedIn()
    @ApiOperation({ operationId: `list${noun}s`, summary: `Lists permissions on types of ${service}` })
    @ApiOkResponse({ type: PermissionPageDto })
    async list(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
      await forward(request, reply, '');
    }

    @Get(':id')
    @AllowSignedIn()
    @ApiOperation({ operationId: `get${noun}`, summary: 'One permission' })
    @ApiOkResponse({ type: PermissionDto })
    async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
      await forward(request, reply, `/${encodeURIComponent(id)}`);
    }

    @Delete(':id')
    @AllowSignedIn()
    @HttpCode(204)
    @ApiOperation({ operationId: `delete${noun}`, summary: 'Takes a permission back' })
    @ApiNoContentResponse()
    async delete(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('id') id: string): Promise<void> {
      await forward(request, reply, `/${encodeURIComponent(id)}`);
    }
  }
  return PermissionsController;
}

interface Forwarded {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly path: string;
  readonly body?: unknown;
}

async function forwardTo(passportUrl: string, service: ServiceName, { request, reply, path, body }: Forwarded): Promise<void> {
  const url = new URL(`/passportsvc/api/v1/permissions${path}`, passportUrl);
  url.search = request.url.split('?')[1] ?? '';
  url.searchParams.set('_service', service);
  const { status, type, text } = await answerTo(url, request, body);
  void reply.status(status);
  if (type !== undefined) void reply.type(type);
  await (text === '' ? reply.send() : reply.send(text));
}

interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  readonly text: string;
}

async function answerTo(url: URL, { method, id, headers: { authorization = '' } }: FastifyRequest, body: unknown): Promise<Answer> {
  try {
    const response = await requestJson({ method, url, authorization, requestId: id, body, timeoutMs: TIMEOUT_MS });
    return { status: response.statusCode ?? 0, type: response.headers['content-type'], text: await textOf(response) };
  } catch (error) {
    throw unavailable('The identity service cannot be reached right now', error);
  }
}
