import { ApiProperty } from '@nestjs/swagger';

class LoginThemesDto {
  @ApiProperty({ type: [String], description: 'Of the sign-in page' })
  login: readonly string[];
}

export class InformationDto {
  @ApiProperty({ description: 'Where the platform is reached' })
  baseUrl: string;

  @ApiProperty({ description: 'Whether people may make accounts themselves' })
  signUp: boolean;

  @ApiProperty({ description: 'Themes that there are' })
  themes: LoginThemesDto;
}
