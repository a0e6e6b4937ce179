import { Injectable } from '@nestjs/common';
import { RegisteredOrigins } from '@twinyard/service-kit';
import { NamespaceDirectoryRepository } from '../internal/namespace-directory.repository';

const KEEP_MS = 5_000;

/** Origins that applications register, for passportsvc's own CORS: read at most every five seconds. */
@Injectable()
export class OwnRegisteredOrigins extends RegisteredOrigins {
  private origins: ReadonlySet<string> = new Set();
  private readAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly directory: NamespaceDirectoryRepository) {
    super();
  }

  override async has(origin: string): Promise<boolean> {
    if (performance.now() - this.readAt > KEEP_MS) {
      this.readAt = performance.now();
      this.origins = new Set(await this.directory.registeredOrigins());
    }
    return this.origins.has(origin);
  }
}
