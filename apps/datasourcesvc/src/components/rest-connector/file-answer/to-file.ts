import { invalidField } from '@twinyard/conventions';
import { z } from 'zod';
import type { FilePlace } from '../../../platform-client/files-client';
import { filePlaceParams } from '../../made-files/file-place';
import type { Templates } from '../templates';

/** Where the body of an answer goes, as `export_items` names it. */
export const TO_FILE = z.object({
  name: z.string().min(1, { error: 'must not be empty' }).meta({ description: 'Name of the file. A file of that name in the folder gets a new version' }),
  ...filePlaceParams,
});

/** Placeholders stand in it yet. */
export type ToFile = z.output<typeof TO_FILE>;

export type FileTarget = Omit<FilePlace, 'namespaces'>;

/** As filesvc has it. */
const MOST_NAME_BYTES = 255;

/** Filled. What is wrong with a name is said before anybody is called, as far as it is known here. */
export function toFileTarget({ name: written, _parentId, _tags }: ToFile, templates: Templates): FileTarget {
  const at = '_toFile.name';
  const name = templates.text(written, { at }).toWellFormed();
  if (name.trim() === '') throw invalidField(at, 'must not be empty');
  if (Buffer.byteLength(name) > MOST_NAME_BYTES) throw invalidField(at, `must not be longer than ${MOST_NAME_BYTES} bytes`);
  const parentId = templates.text(_parentId ?? '', { at: '_toFile._parentId' });
  return { name, parentId: parentId === '' ? undefined : parentId, tags: _tags.map((tag, index) => templates.text(tag, { at: `_toFile._tags.${index}` })) };
}
