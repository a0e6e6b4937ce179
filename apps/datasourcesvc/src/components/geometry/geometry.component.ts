import { z } from 'zod';
import type { GeometryFigures } from '../../geometry/geometry-messages';
import type { Converted } from '../../geometry/geometry-process';
import { type Component, defineComponent } from '../component';
import { type FileContent, type MadeFile, MadeOnce } from '../made-files/made-once';
import { sourceFileParams } from '../source-file';
import type { StepContext } from '../step-context';
import { StepProgress } from '../step-progress';
import { convertedModel } from './converted-model';
import { findGeometry, findModel, type ModelFile } from './geometry-file';
import type { GeometryTerms } from './geometry-terms';

const PARAMS = z.object(sourceFileParams('The IFC file'));

export const geometry = (terms: GeometryTerms): Component => defineComponent({
  id: '6f0e6f3a-3b1c-4d0e-9c53-0d4f4f8a7b0b',
  name: 'geometry',
  description: 'Makes a file of Fragments (.frag) of an IFC file, beside it, for viewers in 3D: each element that has a body, by its GlobalId',
  params: PARAMS,
  async run(step, params) {
    const progress = new StepProgress(step);
    const model = await progress.once('model', () => findModel(step, params));
    const [hasSent, name] = [progress.get('sent') !== undefined, model.place.name];
    const earlier = hasSent ? undefined : await findGeometry(step, model);
    if (earlier !== undefined) {
      await step.log('info', `${name} has the geometry of this version of ${model.name} already: nothing is made`);
      return { ...resultOf(model), _fileId: earlier._id, _fileVersionId: earlier._tipId, _version: earlier._tipVersion, isNew: false };
    }
    // Where an earlier attempt has sent it, it is looked for first.
    const converted = hasSent ? undefined : await convertedModel(step, model, terms);
    const made = await progress.once('made', () => new MadeOnce<GeometryFigures>(step, progress, model.place).make(async () => contentOf(converted ?? (await convertedModel(step, model, terms)))));
    await logMade(step, model, made);
    return {
      ...resultOf(model), _fileId: made.fileId, _fileVersionId: made.fileVersionId, _version: made.version, isNew: true, schema: made.schema,
      counts: { elements: made.elements, withGeometry: made.withGeometry, withoutGeometry: made.withoutGeometry.count, bytes: made.bytes },
    };
  },
});

const resultOf = ({ fileId, fileVersionId, place }: ModelFile) => ({ name: place.name, sourceFileId: fileId, sourceVersionId: fileVersionId });

function contentOf({ bytes, figures }: Converted): FileContent<GeometryFigures> {
  return { bytes: chunksOf(bytes), contentType: 'application/octet-stream', figures, report: (sent) => ({ _done: sent, _total: bytes.byteLength }) };
}

const CHUNK_BYTES = 1_048_576;

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

async function logMade({ log }: StepContext, { name, place }: ModelFile, made: MadeFile & GeometryFigures): Promise<void> {
  await log('info', `Made ${place.name} of ${name} (${made.schema}): ${made.withGeometry} of ${made.elements} elements have geometry, ${made.bytes} bytes`);
  const { count, first } = made.withoutGeometry;
  if (count > 0) await log('warn', `Elements with a body of which no geometry could be made (${count}): ${first.join(', ')}`);
  if (made.nameless > 0) await log('warn', `Elements left out, since they have no GlobalId: ${made.nameless}`);
}
