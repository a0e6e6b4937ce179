export { PICTURE } from './picture';
