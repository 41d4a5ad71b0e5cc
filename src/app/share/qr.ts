/** A link as a QR code, drawn as one path. */
import { encode } from 'uqr';

/** Bytes that the largest code holds at the lowest correction. */
const MOST = 2953;

export interface QrDrawing {
  /** Width and height in modules, the quiet border included. */
  size: number;
  /** Of an SVG: a square for every dark module. */
  path: string;
}

/** Null where the text is longer than any code. */
export function drawQr(text: string): QrDrawing | null {
  if (new TextEncoder().encode(text).length > MOST) return null;
  const { size, data } = encode(text, { ecc: 'L', border: 4 });
  return { size, path: data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : []))).join('') };
}
