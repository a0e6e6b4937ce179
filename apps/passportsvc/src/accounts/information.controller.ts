import { Controller, Get, Inject } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { Public } from '@twinyard/auth';
import { PASSPORT_SETTINGS, type PassportSettings } from '../config';

/** Themes of the sign-in page that there are. */
const LOGIN_THEMES = ['default'];

class LoginThemesDto {
  @ApiProperty({ type: [String], description: 'Of the sign-in page' })
  login: readonly string[];
}

class InformationDto {
  @ApiProperty({ description: 'Where the platform is reached' })
  baseUrl: string;

  @ApiProperty({ description: 'Whether people may make accounts themselves' })
  signUp: boolean;

  @ApiProperty({ description: 'Themes that there are' })
  themes: LoginThemesDto;
}

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
