import { UsageError, type Arguments } from './arguments.ts';

/** Backends that the command line offers. */
export const BACKEND_KINDS = ['cpu', 'webgpu'] as const;
export type CommandLineBackend = (typeof BACKEND_KINDS)[number];

/** The one that --backend names; cpu when it is not given. */
export function backendOf(given: Arguments): CommandLineBackend {
  const named = given.values.get('backend') ?? 'cpu';
  const kind = BACKEND_KINDS.find((one) => one === named);
  if (kind === undefined) throw new UsageError(`There is no backend "${named}".`, `Choose ${BACKEND_KINDS.join(' or ')}.`);
  return kind;
}
