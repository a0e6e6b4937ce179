import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';
import { InformationDto } from './information.dto';

/** Themes of the sign-in page that there are. */
const LOGIN_THEMES = ['default'];

@ApiTags('information')
@Controller('passportsvc/api/information')
export class InformationController {
  constructor(@Inject(PASSPORT_SETTINGS) private readonly settings: PassportSettings) {}

  @Get('configs')
  @Public()
  @ApiOperation({ operationId: 'getLoginInformation', summary: 'Public settings of the platform' })
  @ApiOkResponse({ type: InformationDto })
  get(): InformationDto {
    return { baseUrl: this.settings.BASE_URL, signUp: this.settings.SIGN_UP !== 'off', themes: { login: LOGIN_THEMES } };
  }
}
