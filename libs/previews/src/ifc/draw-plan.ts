import { NoPicture } from '../picture';
import { drawLevel } from './plan/floor-plan';
import { drawFromAbove } from './plan/from-above';
import { IfcGeometry, ParserCrash, readText } from './parser/ifc-geometry';
import { chooseLevel } from './plan/levels';
import { isCrash, refusalOf } from './parser/parser-bounds';
import { SceneReader } from './parser/read-scene';

/** Of the processor, so that a busy machine draws the same picture: seconds, of which a large building takes a few. */
const MAX_READING = 20;
/** So many elements may crash the parser; the others are drawn. */
const MAX_CRASHES = 3;

/**
 * The plan of a building as an SVG of the size of a picture: the storey that people know, cut above the sills. What has no walls
 * is drawn as it is seen from above. Blocks its thread, for seconds if the model is large; one entity can keep the parser busy
 * for ever, so a caller must be ready to end the thread.
 * @throws NoPicture
 */
export async function drawPlan(bytes: Uint8Array): Promise<string> {
  const begun = process.cpuUsage();
  const isOver = () => seconds(process.cpuUsage(begun)) > MAX_READING;
  const without = new Set<number>();
  const text = readText(bytes);
  for (;;) {
    const file = await IfcGeometry.open(text);
    try {
      return draw(new SceneReader(file, { isOver, without }));
    } catch (error) {
      if (!(error instanceof ParserCrash) || without.size === MAX_CRASHES) throw asNoPicture(error);
      without.add(error.element);
    } finally {
      file.close();
    }
  }
}

function draw(reader: SceneReader): string {
  const elements = reader.parts();
  const level = chooseLevel(elements, reader.storeys());
  const drawing = (level && drawLevel(elements, level)) ?? drawFromAbove([...elements, ...reader.others()]);
  if (drawing === undefined) throw new NoPicture(reader.hasFailed ? 'is broken' : 'has nothing to show');
  return drawing;
}

const seconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1e6;

/** What crashes the parser while it looks around, not at an element, is not to be got around. */
function asNoPicture(error: unknown): unknown {
  const crash = error instanceof ParserCrash ? error.cause : error;
  return isCrash(crash) ? new NoPicture(refusalOf(crash), { cause: crash }) : error;
}
