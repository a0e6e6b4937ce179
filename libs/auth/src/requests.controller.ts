import { Controller, Get, Param, type Type } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiProperty, ApiPropertyOptional, ApiTags } from '@nestjs/swagger';
import { capitalized, isUuid, notFound, type ServiceName } from '@twinyard/conventions';
import { DurableRequests, type DurableState, type DurableStatus, type KeptResponse } from '@twinyard/jobs';
import { JsonText, withMember } from '@twinyard/service-kit';
import { AllowSignedIn, Ctx } from './decorators';
import type { RequestContext } from './request-context';
import { keptCallerOf } from './run-bounds';

class FinalAnswerDto {
  @ApiProperty({ description: 'HTTP status of the final answer' })
  readonly _status: number;

  @ApiPropertyOptional({ description: 'JSON body of the final answer; absent for 204' })
  readonly _body?: unknown;
}

class ProgressDto {
  @ApiProperty({ description: 'Rows or records worked through; what is not committed in the end counts until then' })
  readonly _done: number;

  @ApiPropertyOptional({ description: 'Of how many; absent while nobody knows' })
  readonly _total?: number;
}

class DurableRequestDto {
  @ApiProperty()
  readonly _id: string;

  @ApiProperty({ enum: ['QUEUED', 'RUNNING', 'COMPLETED', 'FAILED'] })
  readonly _status: DurableStatus;

  @ApiPropertyOptional({ type: ProgressDto, description: 'Where the work tells how far it is' })
  readonly _progress?: ProgressDto;

  @ApiPropertyOptional({ type: FinalAnswerDto })
  readonly _response?: FinalAnswerDto;
}

/** `GET /<service>/api/v1/requests/{id}` (contract 0.2): how a request fares that was answered with 202, for its own caller. */
export function requestsController(service: ServiceName): Type {
  @ApiTags('requests')
  @Controller(`${service}/api/v1/requests`)
  class RequestsController {
    constructor(private readonly requests: DurableRequests) {}

    @Get(':id')
    @AllowSignedIn({ runs: true })
    @ApiOperation({ operationId: `get${capitalized(service)}Request`, summary: 'A request that was answered with 202', description: 'Kept for 24 hours after its end. The answer may wait for the end for half a second.' })
    @ApiOkResponse({ type: DurableRequestDto })
    @ApiNotFoundResponse({ description: 'Unknown, or made by another caller' })
    async get(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<DurableRequestDto | JsonText> {
      const state = isUuid(id) ? await this.requests.findSoon(id, keptCallerOf(ctx.principal)) : undefined;
      if (state === undefined || !isOwn(state, ctx)) throw notFound('request', id);
      return state.response === undefined ? toDto(state) : withMember(toDto(state), '_response', responseText(state.response));
    }
  }
  return RequestsController;
}

function isOwn({ caller }: DurableState, ctx: RequestContext): boolean {
  const { type, id } = keptCallerOf(ctx.principal);
  return caller.type === type && caller.id === id;
}

const toDto = ({ id, status, progress }: DurableState): DurableRequestDto => ({
  _id: id,
  _status: status,
  ...(progress && { _progress: { _done: progress.done, ...(progress.total !== undefined && { _total: progress.total }) } }),
});

/** A `FinalAnswerDto`. */
function responseText({ status, body }: KeptResponse): JsonText {
  const answer = { _status: status };
  return body === undefined ? new JsonText(JSON.stringify(answer)) : withMember(answer, '_body', body);
}

/** `Location` of a 202. */
export const requestLocation = (baseUrl: string, service: ServiceName, id: string) => `${baseUrl}/${service}/api/v1/requests/${id}`;
