import { Module } from '@nestjs/common';
import { DownloadSecret } from './download-secret';
import { SecretValues } from './secret-values';
import { SecretsController } from './secrets.controller';
import { SecretsRepository } from './secrets.repository';
import { SecretsService } from './secrets.service';

@Module({
  controllers: [SecretsController],
  providers: [SecretsRepository, SecretValues, SecretsService, DownloadSecret],
})
export class SecretsModule {}
