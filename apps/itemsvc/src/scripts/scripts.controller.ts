import { Controller, Get, Header, Param } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOkResponse, ApiOperation, ApiProduces, ApiQuery, ApiTags } from '@nestjs/swagger';
import { Allow, Ctx, RequestContext } from '@twinyard/auth';
import { ScriptsService } from './scripts.service';

@ApiTags('named items')
@Controller('itemsvc/api/v1/nameduseritems/:id/script.js')
export class ScriptsController {
  constructor(private readonly scripts: ScriptsService) {}

  @Get()
  @Allow('READ', 'itemsvc:nameduseritem', { queryToken: true })
  @Header('Content-Type', 'text/javascript; charset=utf-8')
  @ApiQuery({ name: 'access_token', required: false, type: String, description: 'The token, for browsers that load the script by an element' })
  @ApiQuery({ name: 'req_time', required: false, type: String, description: 'Ignored' })
  @ApiProduces('text/javascript')
  @ApiOperation({ operationId: 'getScriptSource', summary: 'The source of a script: the user data of its tip' })
  @ApiOkResponse({ schema: { type: 'string' } })
  @ApiNotFoundResponse()
  async source(@Ctx() ctx: RequestContext, @Param('id') id: string): Promise<string> {
    return this.scripts.source(ctx, id);
  }
}
