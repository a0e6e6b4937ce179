import { NoPicture } from '../picture';
import { drawLevel } from './plan/floor-plan';
import { drawFromAbove } from './plan/from-above';
import { IfcGeometry, ParserCrash } from './parser/ifc-geometry';
import { chooseLevel } from './plan/levels';
import { isCrash } from './parser/parser-bounds';
import { SceneReader } from './parser/read-scene';

const MAX_READING_MS = 20_000;
/** So many elements may crash the parser; the others are drawn. */
const MAX_CRASHES = 3;

/**
 * The plan of a building as an SVG of the size of a picture: the storey that people know, cut above the sills. What has no walls
 * is drawn as it is seen from above. Blocks its thread, for seconds if the model is large; one entity can keep the parser busy
 * for ever, so a caller must be ready to end the thread.
 * @throws NoPicture
 */
export async function drawPlan(bytes: Uint8Array): Promise<string> {
  const until = performance.now() + MAX_READING_MS;
  const without = new Set<number>();
  while (without.size <= MAX_CRASHES) {
    const file = await IfcGeometry.open(bytes);
    try {
      return draw(new SceneReader(file, { until, without }));
    } catch (error) {
      if (!(error instanceof ParserCrash)) throw asNoPicture(error);
      without.add(error.element);
    } finally {
      file.close();
    }
  }
  throw new NoPicture('is broken');
}

function draw(reader: SceneReader): string {
  const elements = reader.parts();
  const level = chooseLevel(elements, reader.storeys());
  const drawing = (level && drawLevel(elements, level)) ?? drawFromAbove([...elements, ...reader.others()]);
  if (drawing === undefined) throw new NoPicture(reader.hasFailed ? 'is broken' : 'has nothing to show');
  return drawing;
}

/** What crashes the parser while it looks around, not at an element, is not to be got around. */
const asNoPicture = (error: unknown) => (isCrash(error) ? new NoPicture('is broken', { cause: error }) : error);
