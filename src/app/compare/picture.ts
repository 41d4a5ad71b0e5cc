/** A drawing as a PNG file. */
import { PlaygroundError } from '../../runtime/errors.ts';

/** Twice as fine as on the page, on white. */
const SCALE = 2;

/** `svg` with a width and a height in px. */
export async function pngOf(svg: string): Promise<Uint8Array<ArrayBuffer>> {
  const image = new Image();
  const url = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    image.src = url;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth * SCALE;
    canvas.height = image.naturalHeight * SCALE;
    const context = canvas.getContext('2d');
    if (context === null) throw new PlaygroundError('no-canvas', 'This browser does not draw pictures.', 'Export SVG instead.');
    context.fillStyle = '#ffffff';
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
    if (blob === null) throw new PlaygroundError('no-canvas', 'The picture could not be made.', 'Export SVG instead.');
    return new Uint8Array(await blob.arrayBuffer());
  } finally {
    URL.revokeObjectURL(url);
  }
}
