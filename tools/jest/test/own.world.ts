/** @jest-environment node */
import { loads } from './loads';

jest.mock('./loads', () => ({ loads: () => 'mocked' }));

it('mocks a module in a world of its own', () => {
  expect(loads()).toBe('mocked');
});
