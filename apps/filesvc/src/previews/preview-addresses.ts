import { Injectable } from '@nestjs/common';
import { CONTENT_PATH, SignedAddresses } from '../content/signed-addresses';

/** A picture that somebody who may read the file was given the address of. Only `PreviewAddresses` makes one. */
export abstract class VerifiedPreview {
  protected readonly brand = 'VerifiedPreview' as const;
  abstract readonly previewId: string;
  abstract readonly secondsLeft: number;
}

class Verified extends VerifiedPreview {
  constructor(override readonly previewId: string, override readonly secondsLeft: number) {
    super();
  }
}

export const PREVIEW_CONTENT_PATH = `${CONTENT_PATH}/previews`;

/** `{base_url}/filesvc/api/v1/content/previews/<preview>/<name>`, signed as downloads are; no picture has the id of a version. */
@Injectable()
export class PreviewAddresses {
  constructor(private readonly addresses: SignedAddresses) {}

  issue(previewId: string, name: string): string {
    return this.addresses.issue(previewId, name, new Date(), PREVIEW_CONTENT_PATH);
  }

  /** 403 for an address that was never given, or that has expired. */
  verify(previewId: string, expires: unknown, signature: unknown): VerifiedPreview {
    return new Verified(previewId, this.addresses.verify(previewId, expires, signature).secondsLeft);
  }
}
