import { Controller, Get, Header } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { AllowSignedIn } from '@twinyard/auth';
import { scriptTypes } from '@twinyard/scripts';

@ApiTags('components')
@Controller('datasourcesvc/api/v1/script-types.d.ts')
export class ScriptTypesController {
  private readonly types = scriptTypes();

  @Get()
  @AllowSignedIn({ runs: true })
  @Header('Content-Type', 'text/plain; charset=utf-8')
  @ApiProduces('text/plain')
  @ApiOperation({ operationId: 'getScriptTypes', summary: 'TypeScript declarations of what a script is given', description: 'For editors, and for `tsc --strict`: a file that declares the namespace `Twinyard`. The same for everybody.' })
  @ApiOkResponse({ schema: { type: 'string' } })
  get(): string {
    return this.types;
  }
}
