import { Inject, Injectable } from '@nestjs/common';
import { FILESVC_SETTINGS, type FilesvcSettings } from '../config';
import { extensionOf } from './file-name';

/** Which files count as graphics files (contract 4): those with the extension of a 3D-geometry cache. */
@Injectable()
export class FileGraphics {
  private readonly extensions: ReadonlySet<string>;

  constructor(@Inject(FILESVC_SETTINGS) settings: Pick<FilesvcSettings, 'GRAPHICS_EXTENSIONS'>) {
    this.extensions = new Set(settings.GRAPHICS_EXTENSIONS.toLowerCase().split(/[\s,]+/).filter(Boolean));
  }

  includes(name: string): boolean {
    return this.extensions.has(extensionOf(name));
  }
}
