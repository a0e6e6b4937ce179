import { KeepPreview, PreviewStores } from './keep-preview';
import { LeftOverPreviews } from './left-over-previews';
import { MakePreview } from './make-preview';
import { PreviewAddresses } from './preview-addresses';
import { PreviewContent } from './preview-content';
import { PreviewContentController } from './preview-content.controller';
import { PreviewInput } from './preview-input';
import { PreviewOrders } from './preview-orders';
import { PreviewWorker } from './preview-worker';
import { PreviewsController } from './previews.controller';
import { PreviewsRepository } from './previews.repository';

/** Pictures of files: ordered with a version, told with it, and gone with it. */
export const PREVIEW_CONTROLLERS = [PreviewsController, PreviewContentController];
export const PREVIEW_PROVIDERS = [
  PreviewsRepository, PreviewOrders, PreviewWorker, LeftOverPreviews, MakePreview, PreviewInput, KeepPreview, PreviewStores, PreviewAddresses, PreviewContent,
];
