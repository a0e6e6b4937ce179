import { constant, NONE, real, type Ref, type StepWriter, text } from './step-writer';

export type Point = readonly [x: number, y: number, z: number];

/** Width along x, depth along y, height up; the middle of the base's width and depth is at `at`. */
export interface Box {
  readonly size: Point;
  readonly at: Point;
}

/** Placements and solids of the sample: all lengths in metres. */
export class Geometry {
  readonly context: Ref;
  private readonly body: Ref;
  private readonly axis: Ref;

  constructor(private readonly step: StepWriter) {
    this.context = step.add('IFCGEOMETRICREPRESENTATIONCONTEXT', NONE, text('Model'), '3', '1.E-5', this.axes([0, 0, 0]), NONE);
    this.body = this.subContext('Body', 'MODEL_VIEW');
    this.axis = this.subContext('Axis', 'GRAPH_VIEW');
  }

  /** `direction` is where the local x axis points: along x unless it says `y`. */
  placement(parent: Ref | undefined, at: Point, direction: 'x' | 'y' = 'x'): Ref {
    return this.step.add('IFCLOCALPLACEMENT', parent ?? NONE, this.axes(at, direction));
  }

  /** An upright box; with `axisLength` also the line along which a wall runs, for plan views. */
  box({ size: [width, depth, height], at }: Box, axisLength?: number): Ref {
    const profile = this.step.share('IFCRECTANGLEPROFILEDEF', constant('AREA'), NONE, NONE, real(width), real(depth));
    const solid = this.step.add('IFCEXTRUDEDAREASOLID', profile, this.axes(at), this.direction([0, 0, 1]), real(height));
    const body = this.step.add('IFCSHAPEREPRESENTATION', this.body, text('Body'), text('SweptSolid'), [solid]);
    const shapes = axisLength === undefined ? [body] : [this.line(axisLength), body];
    return this.step.add('IFCPRODUCTDEFINITIONSHAPE', NONE, NONE, shapes);
  }

  /** The shape of something that is nothing but a surface of triangles. */
  surface(triangles: Ref): Ref {
    const body = this.step.add('IFCSHAPEREPRESENTATION', this.body, text('Body'), text('Tessellation'), [triangles]);
    return this.step.add('IFCPRODUCTDEFINITIONSHAPE', NONE, NONE, [body]);
  }

  private line(length: number): Ref {
    const ends = [0, length].map((x) => this.step.share('IFCCARTESIANPOINT', [real(x), real(0)]));
    const curve = this.step.share('IFCPOLYLINE', ends);
    return this.step.add('IFCSHAPEREPRESENTATION', this.axis, text('Axis'), text('Curve2D'), [curve]);
  }

  private axes(at: Point, direction: 'x' | 'y' = 'x'): Ref {
    const origin = this.step.share('IFCCARTESIANPOINT', at.map(real));
    const turned = direction === 'y' ? this.direction([0, 1, 0]) : NONE;
    return this.step.share('IFCAXIS2PLACEMENT3D', origin, direction === 'y' ? this.direction([0, 0, 1]) : NONE, turned);
  }

  private direction(towards: Point): Ref {
    return this.step.share('IFCDIRECTION', towards.map(real));
  }

  private subContext(name: string, view: string): Ref {
    return this.step.add('IFCGEOMETRICREPRESENTATIONSUBCONTEXT', text(name), text('Model'), '*', '*', '*', '*', this.context, NONE, constant(view), NONE);
  }
}
