/** Giving memory back while a run goes on. */
import v8 from 'node:v8';
import vm from 'node:vm';

let collect: (() => void) | null = null;

/**
 * Collects garbage now. The tensors' memory lies outside V8's heap, which therefore sees little reason to collect: left alone,
 * dead tensors of several iterations pile up. Takes some twenty milliseconds.
 */
export function collectGarbage(): void {
  if (!collect) {
    v8.setFlagsFromString('--expose-gc');
    collect = vm.runInNewContext('gc') as () => void;
  }
  collect();
}
