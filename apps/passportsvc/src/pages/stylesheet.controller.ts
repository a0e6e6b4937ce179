import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Controller, Get, Header } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';

const stylesheet = readFileSync(join(__dirname, 'pages.css'), 'utf8');

@ApiExcludeController()
@Controller('passportsvc/pages')
export class StylesheetController {
  @Get('pages.css')
  @Public()
  @Header('Content-Type', 'text/css; charset=utf-8')
  @Header('Cache-Control', 'public, max-age=300')
  get(): string {
    return stylesheet;
  }
}
