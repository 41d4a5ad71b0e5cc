import { openFolder } from '../checkpoint/folder-source.ts';
import { ADAPTER_CONFIG, ADAPTER_WEIGHTS, readAdapter } from '../checkpoint/peft.ts';

/** The LoRA adapter in a folder, in PEFT's format. Throws a PlaygroundError when it is missing or not supported. */
export async function openAdapter(folder: string): Promise<ReturnType<typeof readAdapter>> {
  const source = openFolder(folder);
  return readAdapter(new TextDecoder().decode(await source.read(ADAPTER_CONFIG)), await source.read(ADAPTER_WEIGHTS));
}
