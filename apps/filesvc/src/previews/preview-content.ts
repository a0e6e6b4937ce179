import { Injectable } from '@nestjs/common';
import { notFound } from '@twinyard/conventions';
import { type ContentAnswer, type ContentRequest, ContentService } from '../content/content.service';
import type { StoredContent } from '../content/stored-content';
import type { VerifiedPreview } from './preview-addresses';
import { pictureName } from './picture-name';
import { type PreviewOfFile, PreviewsRepository } from './previews.repository';

/** A picture is sent as a file's content is. */
@Injectable()
export class PreviewContent {
  constructor(
    private readonly previews: PreviewsRepository,
    private readonly content: ContentService,
  ) {}

  /** The address stops with the version or its file, also while the bytes are looked for. */
  async open(address: VerifiedPreview, request: ContentRequest): Promise<ContentAnswer> {
    const found = await this.previews.findByAddress(address);
    if (found === undefined) throw notFound('preview', address.previewId);
    return this.content.serve(contentOf(found), address, request).catch(async (error: unknown) => {
      throw (await this.previews.findByAddress(address)) === undefined ? notFound('preview', address.previewId) : error;
    });
  }
}

const contentOf = ({ preview, fileName }: PreviewOfFile): StoredContent => ({ ...preview, name: pictureName(fileName, preview.contentType), contentEncoding: null });
