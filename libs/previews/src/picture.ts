/** Every picture has this size: what does not fill it is fitted and padded. */
export const PICTURE = { width: 640, height: 480 } as const;

export interface Picture {
  readonly contentType: 'image/png' | 'image/jpeg';
  readonly bytes: Uint8Array;
}

/** Why there will never be a picture of a file. */
export type Refusal = 'is broken' | 'is too large' | 'has nothing to show' | 'is protected' | 'takes too long' | 'needs too much memory';

/** There will be no picture of this file, however often it is tried. */
export class NoPicture extends Error {
  constructor(readonly refusal: Refusal, options?: ErrorOptions) {
    super(`the file ${refusal}`, options);
    this.name = 'NoPicture';
  }
}
