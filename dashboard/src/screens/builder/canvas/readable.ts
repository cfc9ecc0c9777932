/**
 * How large the canvas is shown: large enough to read its cards, as boxes with titles, or as plain
 * shapes. Told to all cards by one place.
 */
import { createContext, useContext } from 'react';

export type Level = 'cards' | 'boxes' | 'shapes';

/** Smaller than this, cards are boxes. */
export const readable = 0.5;
/** Smaller than this, nothing on a box can be read, and there may be a thousand. */
const legible = 0.2;

export const levelOf = (zoom: number): Level =>
  zoom >= readable ? 'cards' : zoom >= legible ? 'boxes' : 'shapes';

export const ReadableContext = createContext(true);

export const useIsReadable = (): boolean => useContext(ReadableContext);
