import { Injectable } from '@nestjs/common';
import { formatIrn } from '@twinyard/conventions';
import { type EventOrigin, type NewEvent, resourceCreated, resourceDeleted, resourceUpdated } from '@twinyard/events';
import type { FileVersionEntity } from '../versions/file-version.entity';
import type { Preview } from '../previews/preview';
import type { FileEntity } from './file.entity';
import { statusOfTip } from './file-status';
import { FileGraphics } from './file-graphics';

const VERBS = { created: resourceCreated, updated: resourceUpdated, deleted: resourceDeleted } as const;
export type ChangeVerb = keyof typeof VERBS;
/** Whose doing it is: a `RequestContext`, or what the service does itself. */
interface Originator {
  readonly origin: EventOrigin;
}

/** A record that waits for its first content is nobody's business but its maker's: it is told of when there is something to read. */
export const isToldOf = ({ type, tipId }: FileEntity): boolean => type === 'dir' || tipId !== null;

/** What the service tells of files, folders and versions. */
@Injectable()
export class FilesEvents {
  constructor(private readonly graphics: FileGraphics) {}

  /** Of a file or a folder. */
  file(verb: ChangeVerb, ctx: Originator, file: FileEntity): NewEvent {
    const common = {
      _id: file.id, _irn: irnOf(file.id), _name: file.name, _namespaces: [...file.namespaces],
      _parents: file.parentId === null ? [] : [file.parentId], _tags: [...file.tags],
    };
    if (file.type === 'dir') return VERBS[verb]('filesvc.Folder', common, ctx.origin);
    const tip = { _tipId: file.tipId, _tipVersion: file.tip?.number ?? null, _fileSize: verb === 'deleted' ? 0 : (file.tip?.size ?? 0), _status: file.status };
    return VERBS[verb]('filesvc.File', { ...common, ...tip, _graphics: this.graphics.includes(file.name) }, ctx.origin);
  }

  /** Of a version's picture. */
  preview(verb: ChangeVerb, ctx: Originator, { file, version, preview }: { readonly file: FileEntity; readonly version: FileVersionEntity; readonly preview: Preview }): NewEvent {
    const fields = {
      _id: preview.id, _irn: irnOf(preview.id), _name: file.name, _namespaces: [...file.namespaces],
      _fileId: file.id, _fileVersionId: version.id, _version: version.number, _fileSize: verb === 'deleted' ? 0 : preview.size,
    };
    return VERBS[verb]('filesvc.Preview', fields, ctx.origin);
  }

  version(verb: ChangeVerb, ctx: Originator, file: FileEntity, version: FileVersionEntity): NewEvent {
    const size = verb === 'deleted' ? 0 : version.size;
    const fields = {
      _id: version.id, _irn: irnOf(version.id), _name: file.name, _namespaces: [...file.namespaces],
      _fileId: file.id, _version: version.number, _fileSize: size, _status: statusOfTip(version), _graphics: this.graphics.includes(file.name),
    };
    return VERBS[verb]('filesvc.FileVersion', fields, ctx.origin);
  }
}

const irnOf = (id: string) => formatIrn('filesvc', 'file', id);
