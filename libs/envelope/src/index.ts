export { KeyCipher } from './key-cipher';
