/** Reads a drawing back, to measure it. */
type Line = readonly (readonly [x: number, y: number])[];

/** Data of the paths of a layer. */
export function pathsOf(svg: string, layer: string): string[] {
  const group = new RegExp(`<g class="${layer}"[^>]*>([\\s\\S]*?)</g>`).exec(svg)?.[1] ?? '';
  return [...group.matchAll(/ d="([^"]*)"/g)].map(([, data]) => data as string);
}

/** Lines of the paths of a layer, closed or not. */
export function layerOf(svg: string, layer: string): Line[] {
  return pathsOf(svg, layer)
    .flatMap((data) => data.split('M').slice(1))
    .map((line) => line.replace(/z$/, '').split('L').map((pair) => pair.split(' ').map(Number) as [number, number]));
}

/** Positive where the line runs counter-clockwise in the building: in a picture y points down. */
export function areaOf(line: Line): number {
  return line.reduce((sum, [x, y], at) => {
    const [nextX, nextY] = line[(at + 1) % line.length] as [number, number];
    return sum - (x * nextY - nextX * y) / 2;
  }, 0);
}

export function boundsOf(lines: readonly Line[]) {
  const points = lines.flat();
  const [left, top] = [Math.min(...points.map(([x]) => x)), Math.min(...points.map(([, y]) => y))];
  return { left, top, width: Math.max(...points.map(([x]) => x)) - left, height: Math.max(...points.map(([, y]) => y)) - top };
}
