import { z } from 'zod';
import { amount, contract, flag, text, texts } from '../contract';

const topic = 'filesvc.file';

export const filesvc = {
  'filesvc.File': contract({
    topic,
    about: 'a file was made, changed (renamed, moved, tagged, given a new tip) or deleted',
    fields: {
      _parents: texts,
      _tipId: text.nullable(),
      _tipVersion: z.number().int().nullable(),
      /** Bytes of the tip. */
      _fileSize: amount,
      _tags: texts,
      /** `QUARANTINED` while a scan has found something in the tip. */
      _status: text.optional(),
      /** Whether it counts as a graphics file (contract 4). */
      _graphics: flag,
    },
  }),
  'filesvc.Folder': contract({ topic: 'filesvc.folder', about: 'a folder was made, renamed, moved or deleted', fields: { _parents: texts, _tags: texts } }),
  'filesvc.FileVersion': contract({
    topic,
    key: '_fileId',
    about: 'a version of a file is complete, or was deleted',
    fields: { _fileId: text, _version: z.number().int().positive(), _fileSize: amount, _status: text.optional(), _graphics: flag },
  }),
  'filesvc.Preview': contract({
    topic,
    key: '_fileId',
    about: 'a preview of a file version was made, or got other namespaces with its file; it goes with its version, of which that is told',
    fields: {
      _fileId: text,
      _fileVersionId: text,
      _status: text.optional(),
      /** Of the version. */
      _version: z.number().int().positive().optional(),
      /** Bytes of the picture. */
      _fileSize: amount.optional(),
    },
  }),
};
