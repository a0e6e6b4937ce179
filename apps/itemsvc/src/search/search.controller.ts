import { Body, Controller, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBadRequestResponse, ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { NamedItemPageDto } from '../nameditems/named-item.dto';
import { SearchService } from './search.service';

@ApiTags('search')
@Controller('itemsvc/api/v1/nameduseritems/search')
export class SearchController {
  constructor(private readonly searches: SearchService) {}

  @Post()
  @Allow('READ', 'itemsvc:nameduseritem')
  @HttpCode(200)
  @ApiOperation({
    summary: 'Finds related items with what is related to them',
    description: 'One of `$findWithRelated`, `$distinctRelatedItemField`, `$distinctRelatedItemFields`. The answer lies under `_list[n]._versions[m]._relatedItems`. '
      + '`related` may nest up to 8 levels. `relatedDistinctFields` are taken over all parents that meet the query: `_relatedDistinctFields: [{ "<as>": [values] }]`. '
      + 'Related items of a collection that the caller may not READ do not appear.',
  })
  @ApiBody({ schema: { type: 'object', additionalProperties: true } })
  @ApiOkResponse({ type: NamedItemPageDto })
  @ApiBadRequestResponse({ description: 'Every fault with its path' })
  async search(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>, @Body() body: unknown): Promise<unknown> {
    return this.searches.search(ctx, query, body);
  }
}
