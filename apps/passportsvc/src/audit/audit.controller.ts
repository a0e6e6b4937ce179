import { Controller, Get, Query } from '@nestjs/common';
import { ApiBadRequestResponse, ApiForbiddenResponse, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn, Ctx, RequestContext } from '@twinyard/auth';
import { type Page, parsePaging, toPage } from '@twinyard/conventions';
import { ApiPaging } from '../namespaces/list-parameters';
import { type AuditRecord, toAuditRecord } from './audit-chain';
import { AuditEntryPageDto } from './audit-entry.dto';
import { parseAuditFilter } from './audit-filter';
import { Audit } from './audit.service';

@ApiTags('audit')
@Controller('passportsvc/api/v1/audit')
export class AuditController {
  constructor(private readonly audit: Audit) {}

  @Get()
  @AllowSignedIn()
  @ApiOperation({
    operationId: 'listAuditEntries',
    summary: 'Who did what, in the namespaces that the caller owns, newest first',
    description: 'A namespace that the caller does not own is an empty one. New entries come at the front: who pages through passes `to`. An entry is there within a second of what it tells of.',
  })
  @ApiQuery({ name: '_namespace', required: false, isArray: true, type: String, description: 'Without it: all that the caller owns' })
  @ApiQuery({ name: '_irn', required: false, description: 'An IRN, or a pattern in which `*` stands for any run of characters: `filesvc:*`' })
  @ApiQuery({ name: '_byId', required: false })
  @ApiQuery({ name: 'from', required: false, description: 'Epoch milliseconds or ISO 8601' })
  @ApiQuery({ name: 'to', required: false, description: 'As `from`; both are within the range' })
  @ApiPaging()
  @ApiOkResponse({ type: AuditEntryPageDto })
  @ApiBadRequestResponse({ description: 'A time that is none, or `from` after `to`' })
  @ApiForbiddenResponse({ description: 'The token\'s scope does not allow READ' })
  async list(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>): Promise<Page<AuditRecord>> {
    const paging = parsePaging(query);
    return toPage(await this.audit.list(ctx, parseAuditFilter(query), paging), paging, toAuditRecord);
  }
}
