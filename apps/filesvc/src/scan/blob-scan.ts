import { Inject, Injectable } from '@nestjs/common';
import { ObjectStore } from '@twinyard/blobs';
import { ServiceError, tooLarge } from '@twinyard/conventions';
import { LOGGER, type Logger } from '@twinyard/service-kit';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { clamdAddress } from './clamd-address';
import { scanByClamd, ScanTooLarge } from './clamd.adapter';

type ScanSettings = Pick<FilesvcSettings, 'SCAN_CLAMD_ADDRESS' | 'SCAN_TIMEOUT_SECONDS' | 'SCAN_TOO_LARGE'>;

const RETRY_SECONDS = 5;

/** Has stored bytes looked at by a scanner before they become a version. Fails closed: without a verdict there is no version. */
@Injectable()
export class BlobScan {
  constructor(
    private readonly store: ObjectStore,
    @Inject(FILESVC_SETTINGS) private readonly settings: ScanSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Whether anybody scans here. */
  get isOn(): boolean {
    return this.settings.SCAN_CLAMD_ADDRESS !== undefined;
  }

  /** What was found in the blob; `null`, when nothing was, or when nobody scans here. 503 without a verdict. */
  async findIn({ key, size }: { readonly key: string; readonly size: number }): Promise<string | null> {
    const { SCAN_CLAMD_ADDRESS: address, SCAN_TIMEOUT_SECONDS: seconds } = this.settings;
    if (address === undefined || size === 0) return null;
    const body = await this.store.get(key);
    try {
      return (await scanByClamd(clamdAddress(address), body, seconds * 1_000)).found ?? null;
    } catch (error) {
      if (error instanceof ScanTooLarge) return this.unscanned(key, size);
      throw new ServiceError('unavailable', 'The scanner of uploads does not answer', { cause: error, retryAfter: RETRY_SECONDS });
    }
  }

  private unscanned(key: string, size: number): null {
    if (this.settings.SCAN_TOO_LARGE === 'refuse') throw tooLarge(`The scanner of uploads takes no ${size} bytes`, [{ field: '_requested', issue: String(size) }]);
    this.logger.warn({ key, size }, 'kept bytes that the scanner does not take');
    return null;
  }
}
