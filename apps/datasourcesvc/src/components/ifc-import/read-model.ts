import type { IfcReader } from '../../ifc/on-disk/ifc-reader';
import type { ModelOnDisk } from '../../ifc/on-disk/model-on-disk';
import type { SourceFile } from '../source-file';
import type { StepContext } from '../step-context';

/** How often a run says how far it is. */
const TELL_MS = 1_000;

/** The model of a file, which is fetched and read. The run shows first how many bytes have come, then how many things are read. */
export async function readModel(step: StepContext, { fileId, fileVersionId, name }: SourceFile, reader: IfcReader): Promise<ModelOnDisk> {
  const { platform, namespaces, signal, log, report } = step;
  const { _fileSize: size, _sha256: sha256, _contentEncoding: packed } = await platform.files.version(fileId, fileVersionId);
  const known = packed === undefined ? { size, sha256 } : undefined;
  const source = { known, bytes: (mostBytes: number) => platform.files.readSlowly(fileId, fileVersionId, mostBytes) };
  let nextTell = 0;
  const model = await reader.read(source, {
    namespaces, signal,
    downloaded: async (bytes) => {
      if (Date.now() < nextTell) return;
      nextTell = Date.now() + TELL_MS;
      await report({ _done: bytes, ...(known && { _total: size }), bytes });
    },
    read: (entities, total) => report({ _done: entities, _total: total, entities }),
    worked: (ms) => step.worked(ms),
  });
  const { schema, counts, report: found } = model.head;
  await log('info', `Read ${name} (${schema}): ${counts.elements} elements, ${counts.types} types, ${counts.containers} containers, from ${found.entities} entities`);
  return model;
}
