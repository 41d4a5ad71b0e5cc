/** Puts an adapter that was made elsewhere into an agent of a session. */
import { readAdapter } from '../checkpoint/peft.ts';
import type { AgentSettings, LoraSettings } from '../marft/settings.ts';
import type { Policy } from '../engine/types.ts';
import { PlaygroundError } from '../runtime/errors.ts';

/** Both files of PEFT's format. */
export interface AdapterUpload {
  config: string;
  weights: Uint8Array;
}

/**
 * The agent goes on from the adapter, with fresh moments. `base` is how the session's model is called; null where it has no name. Throws
 * PlaygroundErrors that say what does not fit: another base, rank, α, targets (`adapter-mismatch`), other shapes (`state-mismatch`), or
 * what cannot be read at all.
 */
export async function importAdapter({ config, weights }: AdapterUpload, agent: AgentSettings, policy: Policy, base: string | null): Promise<void> {
  const adapter = readAdapter(config, weights);
  const refuse = (message: string, hint: string): never => {
    throw new PlaygroundError('adapter-mismatch', message, hint);
  };
  if (base !== null && isName(adapter.base) && adapter.base.toLowerCase() !== base.toLowerCase()) {
    refuse(`The adapter was made for ${adapter.base}, but this team is built on ${base}.`, 'Choose that model first, or another adapter.');
  }
    const [want, has] = [describe(agent.adapter), describe(adapter.lora)];
  if (want !== has) refuse(`The adapter has ${has}, but ${agent.name} has ${want}.`, 'Choose an adapter of the same kind.');
  await policy.restore(adapter.parameters);
}

function describe({ rank, alpha, targets, rslora }: LoraSettings): string {
  return `rank ${rank}, α ${alpha}${rslora ? ' rank-stabilised' : ''}, ${[...targets].sort().join(', ')}`;
}

/** Whether the adapter names a model, and not a folder on somebody's disk: one name, or an owner and a name. */
function isName(base: string | null): base is string {
  return base !== null && /^[\w.-]*\w[\w.-]*(?:\/[\w.-]+)?$/.test(base) && !/^\.{1,2}(?:\/|$)/.test(base);
}
