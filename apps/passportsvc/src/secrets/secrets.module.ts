import { Module } from '@nestjs/common';
import { DownloadSecret } from './download-secret';
import { RunSecrets } from './run-secrets';
import { SecretValues } from './secret-values';
import { SealedSecretsRepository } from './sealed-secrets.repository';
import { SecretsController } from './secrets.controller';
import { SecretsRepository } from './secrets.repository';
import { SecretsPurge } from './secrets-purge';
import { SecretsService } from './secrets.service';

@Module({
  controllers: [SecretsController],
  providers: [SecretsRepository, SecretValues, SecretsService, DownloadSecret, RunSecrets, SealedSecretsRepository, SecretsPurge],
  exports: [RunSecrets],
})
export class SecretsModule {}
