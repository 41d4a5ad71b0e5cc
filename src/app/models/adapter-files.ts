/** An adapter as one file to save, and as files to load: a zip of PEFT's two, or these. */
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS } from '../../checkpoint/peft.ts';
import type { AdapterUpload } from '../../experiment/import-adapter.ts';
import type { Reply } from '../trainer/protocol.ts';
import { download } from '../ui/download.ts';

/** What a file of an adapter may have at most, unpacked; the largest of a small model has some hundred MB. */
const MAX_BYTES = 1024 * 1024 * 1024;

export async function saveAdapter(agent: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const { zipSync } = await import('fflate');
  // Weights do not get smaller by packing.
  download(`${agent}-adapter.zip`, 'application/zip', zipSync(Object.fromEntries(files), { level: 0 }) as Uint8Array<ArrayBuffer>);
}

/** The user's files may be anything. */
export async function readAdapterFiles(chosen: readonly File[]): Promise<Reply<AdapterUpload>> {
  const refuse = (message: string): Reply<AdapterUpload> => ({
    ok: false,
    trouble: { message, hint: `Choose ${ADAPTER_CONFIG} and ${ADAPTER_WEIGHTS} together, or a zip of the two.` },
  });
  if (chosen.some(({ size }) => size > MAX_BYTES)) return refuse('The file is larger than any adapter.');
  const [only] = chosen;
  const found = new Map<string, Uint8Array>();
  if (chosen.length === 1 && only?.name.endsWith('.zip')) {
    const { unzipSync } = await import('fflate');
    try {
      const wanted = (name: string): boolean => [ADAPTER_CONFIG, ADAPTER_WEIGHTS].includes(baseName(name));
      const unpacked = unzipSync(new Uint8Array(await only.arrayBuffer()), { filter: ({ name, originalSize }) => wanted(name) && originalSize <= MAX_BYTES });
      for (const [name, content] of Object.entries(unpacked)) found.set(baseName(name), content);
    } catch {
      return refuse(`${only.name} is no zip that can be read.`);
    }
  } else {
    for (const file of chosen) found.set(file.name, new Uint8Array(await file.arrayBuffer()));
  }
  const [config, weights] = [found.get(ADAPTER_CONFIG), found.get(ADAPTER_WEIGHTS)];
  if (!config) return refuse(`There is no ${ADAPTER_CONFIG} among the chosen files.`);
  if (!weights) return refuse(`There is no ${ADAPTER_WEIGHTS} among the chosen files.`);
  return { ok: true, value: { config: new TextDecoder().decode(config), weights } };
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
