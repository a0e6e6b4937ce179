export { HEAD_BYTES, type Kind, kindOf, KINDS } from './kind';
export { TEXT_BYTES } from './text/text-bytes';
export { NoPicture, PICTURE, type Picture, type Refusal } from './picture';
export type { Drawing, Drawn } from './process/drawing';
export { DrawingInterrupted, type DrawingLimits, DrawingProcess } from './process/drawing-process';
