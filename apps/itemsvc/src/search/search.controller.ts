import { Body, Controller, HttpCode, Post, Query } from '@nestjs/common';
import { ApiBadRequestResponse, ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { schemaRef } from '@twinyard/documents';
import { SearchPageDto } from './search.dto';
import { SearchService } from './search.service';

@ApiTags('search')
@Controller('itemsvc/api/v1/nameduseritems/search')
export class SearchController {
  constructor(private readonly searches: SearchService) {}

  @Post()
  @Allow('READ', 'itemsvc:nameduseritem')
  @HttpCode(200)
  @ApiOperation({
    operationId: 'searchItems',
    summary: 'Finds related items with what is related to them',
    description: 'One of `$findWithRelated`, `$findWithRelatedGraph`, `$distinctRelatedItemField`, `$distinctRelatedItemFields`. The answer lies under `_list[n]._versions[m]._relatedItems`. '
      + '`related` may nest up to 8 levels. `relatedDistinctFields` are taken over all parents that meet the query: `_relatedDistinctFields: [{ "<as>": [values] }]`. '
      + 'A graph gives each row of the start the paths that cannot be made longer, `"<as>": { "_list": [{ _userItemId, _userItemVersionId, _version, _id, child: { … } }] }`; a segment without `from` begins at the start, none comes by an item twice, '
      + 'pages of segments mean nothing, 50,000 items and 100,000 paths at most, and the items themselves are in `_referencedItems`. '
      + 'Related items of a collection that the caller may not READ do not appear.',
  })
  @ApiBody({ schema: schemaRef('SearchRequest') })
  @ApiOkResponse({ type: SearchPageDto })
  @ApiBadRequestResponse({ description: 'Every fault with its path' })
  async search(@Ctx() ctx: RequestContext, @Query() query: Record<string, unknown>, @Body() body: unknown): Promise<unknown> {
    return this.searches.search(ctx, query, body);
  }
}
